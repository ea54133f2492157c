/** What docs/runtimes.md says of memory in pages: an array for which there is no room is an error like others. */
import { afterEach, expect, test } from 'vitest';
import { Site } from './site.js';

let site: Site;
afterEach(() => site.close());

test('an array for which there is no room is a RangeError, and the pool works on', async () => {
  site = new Site('chromium');
  expect((await site.visit('lacksRoom')).value).toEqual({ lost: expect.stringMatching(/^RangeError: /), next: 6 });
});
