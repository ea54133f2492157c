// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are programs
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { tokensOf } from '../../../../src/core/code/tokens.js';
import { codePoint } from '../../../helpers/code-points.js';

/** The names in a program, in order, by TypeScript's parser. */
function namesByParser(source: string): string[] {
  const file = ts.createSourceFile('x.js', source, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const found: [at: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    const isWord =
      ts.isIdentifier(node) ||
      ts.isPrivateIdentifier(node) ||
      (ts.isToken(node) && /^[a-z]+$/.test(node.getText(file)));
    if (children.length === 0 && isWord && node.getText(file) !== '')
      found.push([node.getStart(file), node.getText(file)]);
  };
  visit(file);
  return found.sort((a, b) => a[0] - b[0]).map(([, text]) => text);
}

const namesByTokens = (source: string): string[] =>
  tokensOf(source)
    .filter(({ kind }) => kind === 'word' || kind === 'private')
    .map(({ text }) => text);

test('the lexer sees the names that a parser sees, in this library’s own files', () => {
  const folder = new URL('../../../../src/core/code/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(10);
  for (const name of files) {
    const { outputText } = ts.transpileModule(readFileSync(new URL(name, folder), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    expect(namesByTokens(outputText), name).toEqual(namesByParser(outputText));
  }
});

/** Expressions, with the places where a slash, a quote or a brace could be misread. */
const { expression } = fc.letrec<{ expression: string; operand: string; statement: string }>((tie) => ({
  operand: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b.c', 'b.return', '1', '.5', '"s/"', "'\\''", '/r"/g', '/[/]`/', '`t`', 'x++', '[a]', '[]'),
    tie('expression').map((e) => `(${e})`),
    tie('expression').map((e) => `\`t\${${e}}/\``),
    tie('expression').map((e) => `({ k: (${e}) })`),
    tie('expression').map((e) => `f(${e})[0]`),
    tie('statement').map((s) => `(function () { ${s} })`),
    tie('statement').map((s) => `(() => { ${s} })`),
  ),
  expression: fc.oneof(
    { maxDepth: 4 },
    tie('operand'),
    fc
      .tuple(tie('operand'), fc.constantFrom(' / ', '/', ' + ', ', ', ' ? 1 : '), tie('operand'))
      .map((parts) => parts.join('')),
    tie('operand').map((e) => `typeof ${e}`),
    tie('operand').map((e) => `!${e}`),
  ),
  statement: fc.oneof(
    { maxDepth: 4 },
    tie('expression').map((e) => `v = ${e};`),
    tie('expression').map((e) => `return ${e};`),
    tie('expression').map((e) => `if (c) /r'/.test(${e});`),
    tie('expression').map((e) => `while (c) { ${e}; } /r"/.exec(q);`),
    tie('expression').map((e) => `do { ${e}; } while (c); /* ' */`),
    tie('expression').map((e) => `{ ${e}; } /r\`/.x; // " \n`),
  ),
}));

const isProgram = (program: string): boolean =>
  ts.transpileModule(`function f() { ${program}\n }`, { reportDiagnostics: true }).diagnostics?.length === 0;

test('the lexer sees the names that a parser sees, in generated programs', () => {
  fc.assert(
    fc.property(expression, (source) => {
      const program = `v = ${source}`;
      fc.pre(isProgram(program)); // a division before a regular expression makes a comment, which can swallow a bracket
      expect(namesByTokens(program)).toEqual(namesByParser(program));
    }),
    { numRuns: 300 },
  );
});

test('the lexer ends on any text, and gives every token its place', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab1.#/*"\'`${}()[]\\\n =+-<>'), maxLength: 40 });
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: codePoint })), (source) => {
      let end = 0;
      for (const token of tokensOf(source)) {
        expect(token.start).toBeGreaterThanOrEqual(end);
        expect(token.end).toBeGreaterThan(token.start);
        expect(source.slice(token.start, token.end)).toBe(token.text);
        end = token.end;
      }
    }),
  );
});
