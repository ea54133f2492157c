import { expect, test } from 'vitest';
import { topFrame, withCallSite } from '../../../../src/core/code/call-site.js';

const USER = '    at main (/app/main.js:3:5)';
const LOADING = '    at parallelMap (/app/core.js:1:9)';
const site = (...frames: string[]): { stack: string } => ({ stack: ['Error', ...frames].join('\n') });

const stackOf = (error: Error): string[] => (error.stack as string).split('\n');
const failed = (...frames: string[]): Error =>
  Object.assign(new Error('no'), { stack: ['Error: no', ...frames].join('\n') });

test('an error gets the frames of the call, with the function that has loaded its family once', () => {
  const error = failed('    at fn (furcate:inline/a.js:1:1)');
  withCallSite(error, site('    at parallelMap (/app/loops.js:7:7)', LOADING, USER));
  expect(stackOf(error)).toEqual(['Error: no', '    at fn (furcate:inline/a.js:1:1)', LOADING, USER]);
});

test('frames of SpiderMonkey and JavaScriptCore are known, too', () => {
  const [own, loading, user] = [
    'fn@furcate:inline/a.js:1:1',
    'parallelMap@http://a/core.js:1:9',
    'async*main@http://a/b line 3 > eval:3:5',
  ];
  const error = Object.assign(new Error('no'), { stack: `${own}\n` });
  withCallSite(error, { stack: ['parallelMap@http://a/loops.js:7:7', loading, user].join('\n') });
  expect(stackOf(error).filter((line) => line !== '')).toEqual([own, loading, user]);
  expect(topFrame(`${own}\n${user}`)).toBe(own);
});

test('a name with spaces, as SpiderMonkey shows it, is a frame; a line of a message is not', () => {
  const user = 'promise form@http://a/main.js:3:5';
  const error = Object.assign(new Error('no'), { stack: 'fn@furcate:inline/a.js:1:1' });
  withCallSite(error, { stack: ['parallelMap@http://a/loops.js:7:7', user].join('\n') });
  expect(stackOf(error)).toContain(user);
  expect(topFrame(`Error: write to me@example.org:1:2\n${user}`)).toBe(user);
});

test('an error that went through one call gets the frames of the next, though the functions of the library are the same', () => {
  const error = failed('    at fn (furcate:inline/a.js:1:1)');
  const family = '    at parallelMap (/app/loops.js:7:7)';
  withCallSite(error, site(family, LOADING, USER));
  const other = '    at other (/app/other.js:9:5)';
  withCallSite(error, site(family, LOADING, other));
  expect(stackOf(error).slice(-2)).toEqual([USER, other]);
});

test('what has no stack, or something else in its place, stays as it is', () => {
  for (const error of ['text', null, {}, { stack: 5 }]) {
    const before = structuredClone(error);
    expect(withCallSite(error, site(LOADING, USER))).toBe(error);
    expect(error).toEqual(before);
  }
});

test('an error that has the frames of the call keeps its stack', () => {
  const error = failed('    at parallelMap (/app/loops.js:7:7)', LOADING, USER);
  withCallSite(error, site('    at parallelMap (/app/loops.js:7:7)', LOADING, USER));
  expect(stackOf(error)).toEqual(['Error: no', '    at parallelMap (/app/loops.js:7:7)', LOADING, USER]);
});
