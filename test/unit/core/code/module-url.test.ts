import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, moduleUrl } from '../../../../src/core/code/module-url.js';

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
    expect(moduleUrl(path, 'register')).toBe(pathToFileURL(path).href);
  });

  test('names a file even where the path has half a character', () => {
    expect(moduleUrl('/a/\ud800.js', 'register')).toBe('file:///a/%EF%BF%BD.js');
  });

  test.each([
    ['C:\\app\\a b.js', 'file:///C:/app/a%20b.js'],
    ['c:/app/a.js', 'file:///c:/app/a.js'],
    ['\\\\server\\share\\x.js', 'file://server/share/x.js'],
    ['\\\\?\\C:\\long\\x.js', 'file:///C:/long/x.js'],
    ['\\\\?\\UNC\\server\\share\\x.js', 'file://server/share/x.js'],
  ])('is made of a Windows path: %s', (path, url) => {
    expect(moduleUrl(path, 'register')).toBe(url);
  });

  test.each([undefined, null, 1, '', '  ', 'fib.js', './fib.js', {}])('is refused, with the cure: %j', (value) => {
    const make = (): string => moduleUrl(value, "register(url, 'Fib')");
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/register\(url, 'Fib'\).*import\.meta\.url.*__filename/s);
  });

  test('undefined is explained: CommonJS has no import.meta.url', () => {
    expect(() => moduleUrl(undefined, 'x')).toThrow(/it was undefined\. A build that emits CommonJS .*__filename/);
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
