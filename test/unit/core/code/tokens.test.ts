// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are programs
import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../../src/core/code/tokens.js';

const texts = (source: string): string[] => tokensOf(source).map(({ text }) => text);
const names = (source: string): string[] =>
  tokensOf(source)
    .filter(({ kind }) => kind === 'word')
    .map(({ text }) => text);

describe('the lexer', () => {
  test.each([
    ['a // b', ['a']],
    ['a /* b */ c', ['a', 'c']],
    ['a \'b\' "c" d', ['a', 'd']],
    ["'it\\'s' + x", ['x']],
    ["'it\\\n a' + x", ['x']],
    ['`a ${b} c ${`d ${e}`} f`', ['b', 'e']],
    ['`${a}${b}`', ['a', 'b']],
    ['`\\${a}` + b', ['b']],
    ['`${{ a: `}` }}` + b', ['a', 'b']],
    ['x = /b"/ + c', ['x', 'c']],
    ['x / b / c', ['x', 'b', 'c']],
    ['(a) / b / c', ['a', 'b', 'c']],
    ['a[0] / b / c', ['a', 'b', 'c']],
    ['if (a) /b"/.test(c)', ['if', 'a', 'test', 'c']],
    ['return /b"/', ['return']],
    ['a++ / b / c', ['a', 'b', 'c']],
    ['a + ++/b"/.x', ['a', 'x']],
    ['{ a } /b"/.x', ['a', 'x']],
    ['x = { a } / b / c', ['x', 'a', 'b', 'c']],
    ['x = /[/"]/ + c', ['x', 'c']],
    ['x = /\\/"/gu + c', ['x', 'c']],
    ['() => {} /b"/.x', ['x']],
    ['/b"/.x', ['x']],
    ['return { a } / b / c', ['return', 'a', 'b', 'c']],
    ['else { a } /b"/.x', ['else', 'a', 'x']],
    ['a.return / b / c', ['a', 'return', 'b', 'c']],
    ['1 / b / c', ['b', 'c']],
    ['`x` / b / c', ['b', 'c']],
    ['0xFFn + 1e5 + .5 + 1_000 + b', ['b']],
    ['größe + $ + _ + 名', ['größe', '$', '_', '名']],
    ['\\u0061b + c', ['\\u0061b', 'c']],
  ])('sees the names of %s', (source, expected) => {
    expect(names(source)).toEqual(expected);
  });

  test('pairs brackets, substitutions of templates too', () => {
    const source = '(a[{ b: `x${(c)}y` }])';
    const tokens = tokensOf(source);
    for (const [i, token] of tokens.entries()) {
      if (token.kind !== 'open' && token.kind !== 'close') continue;
      expect(tokens[token.partner]?.partner).toBe(i);
    }
    expect(texts(source)).toEqual(['(', 'a', '[', '{', 'b', ':', '`x', '${', '(', 'c', ')', '}', 'y`', '}', ']', ')']);
  });

  test('knows private names, arrows, spreads and optional chains', () => {
    expect(texts('(...a) => b?.#c')).toEqual(['(', '...', 'a', ')', '=>', 'b', '?.', '#c']);
    expect(texts('a ? .5 : b')).toEqual(['a', '?', '.5', ':', 'b']);
    expect(texts('a?.5:b')).toEqual(['a', '?', '.5', ':', 'b']);
  });

  test('gives the place of every token', () => {
    for (const { text, start, end } of tokensOf('x => `a${x}b` /* c */ + y'))
      expect('x => `a${x}b` /* c */ + y'.slice(start, end)).toBe(text);
  });

  test('ends on text that is no program', () => {
    for (const source of ['"open', '`open ${a', '/open', '}', ')(', '#', '\\', '\u2028', '`${']) {
      expect(() => tokensOf(source)).not.toThrow();
    }
  });
});
