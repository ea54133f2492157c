/** What is told of a worker that has crashed while no call waited for it. */
import { expect, test } from 'vitest';
import { crashWarning } from '../../../../src/core/pool/crash.js';

const warningOf = (error: unknown): string =>
  crashWarning({ worker: { name: 'worker 1', error }, exitCode: 1, isReported: false }, 'mill');

test.each([
  ['V8, whose stacks begin with the message', 'RangeError: out of band\n    at later (file:///a.mjs:1:2)'],
  ['SpiderMonkey, whose stacks are frames alone', 'later@http://localhost/a.mjs:1:2\n'],
])('the warning has the message once, and the frames: %s', (_, stack) => {
  const error = Object.assign(new RangeError('out of band'), { stack });
  const warning = warningOf(error);
  expect(warning).toMatch(/^furcate: worker 1 of pool 'mill' ended with exit code 1 .*:\nRangeError: out of band\n/s);
  expect(warning.match(/out of band/g)).toHaveLength(1);
  expect(warning).toContain('a.mjs:1:2');
});

test('the warning shows what was thrown that is no error, and nothing where nothing is known', () => {
  expect(warningOf('a text')).toMatch(/:\na text$/);
  expect(warningOf(undefined)).toMatch(/while nothing was in flight$/);
});
