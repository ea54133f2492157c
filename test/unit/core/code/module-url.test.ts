import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, isRequired, moduleUrl, NOWHERE, placeOf } from '../../../../src/core/code/module-url.js';

describe('the URL of a module', () => {
  test.each(['file:///a/b.js', 'https://x.org/a.js', 'blob:https://x.org/1', 'data:text/javascript,1', 'webpack:///x'])(
    'is taken as given: %s',
    (url) => {
      expect(moduleUrl(url, 'register')).toBe(url);
    },
  );

  test.each([
    '/a/b c.js',
    '/a/%41#x?y.js',
    '/tmp/ü/日本.ts',
    '/a/b\\c.js',
    '/a/\t\n.js',
    '/a/"<>{}`.ts',
    "/x/+&=@:!$'()*,;.js",
    fileURLToPath(import.meta.url),
  ])('is made of a path as Node makes it: %j', (path) => {
    expect(placeOf(moduleUrl(path, 'register'))).toBe(pathToFileURL(path).href);
  });

  test('names a file even where the path has half a character', () => {
    expect(placeOf(moduleUrl('/a/\ud800.js', 'register'))).toBe('file:///a/%EF%BF%BD.js');
  });

  test.each([
    ['C:\\app\\a b.js', 'file:///C:/app/a%20b.js'],
    ['c:/app/a.js', 'file:///c:/app/a.js'],
    ['\\\\server\\share\\x.js', 'file://server/share/x.js'],
    ['\\\\?\\C:\\long\\x.js', 'file:///C:/long/x.js'],
    ['\\\\?\\UNC\\server\\share\\x.js', 'file://server/share/x.js'],
  ])('is made of a Windows path: %s', (path, url) => {
    expect(placeOf(moduleUrl(path, 'register'))).toBe(url);
  });

  test.each([null, 1, '', '  ', 'fib.js', './fib.js', {}])('is refused, with the cure: %j', (value) => {
    const make = (): string => moduleUrl(value, "register(url, 'Fib')");
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/register\(url, 'Fib'\).*import\.meta\.url.*__filename/s);
  });

  test.each([undefined, '[eval]', '[worker eval]', '[stdin]'])(
    'of code that has none stands for nowhere: %s',
    (url) => {
      expect(moduleUrl(url, 'x')).toBe(NOWHERE);
    },
  );

  test('that is made of a path tells workers to require the module, and is otherwise the URL of the file', () => {
    const ofPath = moduleUrl('/app/a.cjs', 'x');
    expect([isRequired(ofPath), placeOf(ofPath)]).toEqual([true, 'file:///app/a.cjs']);
    const ofUrl = moduleUrl('file:///app/a.cjs', 'x');
    expect([isRequired(ofUrl), placeOf(ofUrl)]).toEqual([false, 'file:///app/a.cjs']);
    expect(canonicalUrl(ofPath)).toBe(canonicalUrl(ofUrl));
  });
});

describe('the canonical URL of a module', () => {
  test.each([
    ['file:///a/%7Eb.js', 'file:///a/~b.js'],
    ['file:///c:/a.js', 'file:///C:/a.js'],
    ['file://localhost/a.js', 'file:///a.js'],
    ['FILE:///a%20b.js', 'file:///a b.js'],
  ])('is the same for %s and %s', (a, b) => {
    expect(canonicalUrl(a)).toBe(canonicalUrl(b));
  });

  test('is the given one where it cannot be decoded', () => {
    expect(canonicalUrl('file:///100%.js')).toBe('file:///100%.js');
  });

  test.each([
    ['file:///a.js?v=1', 'file:///a.js?v=2'],
    ['file:///a.js', 'file:///A.js'],
    ['file:///share/a.js', 'file://server/share/a.js'],
    ['https://x.org/%7Ea', 'https://x.org/~a'],
    ['file:///a%25.js', 'file:///a%.js'],
  ])('keeps %s and %s apart', (a, b) => {
    expect(canonicalUrl(a)).not.toBe(canonicalUrl(b));
  });
});
