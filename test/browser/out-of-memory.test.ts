/** What docs/runtimes.md says of memory in pages. */
import { afterEach, expect, test } from 'vitest';
import { testedBrowsers } from '../runtimes/browsers.js';
import { Site } from './site.js';

let site: Site;
afterEach(() => site.close());

test.each(testedBrowsers())(
  'an array for which there is no room is a RangeError, and the pool works on (%s)',
  async (browser) => {
    site = new Site(browser);
    expect((await site.visit('lacksRoom')).value).toEqual({ lost: expect.stringMatching(/^RangeError: /), next: 6 });
  },
);

test('a worker that has no room for objects ends its page, which hears nothing of it', async () => {
  site = new Site('chromium', ['--js-flags=--max-old-space-size=32']);
  const told = site.visit('lacksRoomForObjects').then((result) => JSON.stringify(result));
  expect(await Promise.race([told, site.ended])).toBe('the page has ended');
});
