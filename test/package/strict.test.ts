/**
 * Tests that eight programs of a strict user compile, lint and give the right answers: written as the pages have it, without a cast, under the strictest options
 * of the compiler and the strictest rules of typescript-eslint.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { runNode } from '../helpers/child-process.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

const FOLDER = join(ROOT, 'test/package/strict');
const RUN_IN = join(ROOT, '.build/strict');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.mts'));
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** A program that is wrong, for the tests of the tests: it lies beside the others for the compiler alone. */
const PLANTED = join(FOLDER, 'planted.mts');
const WRONG = "import { parallelFor } from 'furcate';\nparallelFor(9, (i) => { i.toFixed(); });\n";

let program: ts.Program;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  const config = ts.parseConfigFileTextToJson('tsconfig.json', textOf('tsconfig.json')).config as object;
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER);
  const host = ts.createCompilerHost(options, true); // the rules need parents of nodes
  const { getSourceFile } = host;
  host.getSourceFile = (path, how, ...rest) =>
    path === PLANTED ? ts.createSourceFile(path, WRONG, how, true) : getSourceFile.call(host, path, how, ...rest);
  program = ts.createProgram([...fileNames, PLANTED], options, host);
}, LONG_TEST_HANG_MS);

test('the programs compile', () => {
  const errors = FILES.flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(join(FOLDER, name))));
  expect(
    ts.formatDiagnostics(errors, { ...ts.sys, getCanonicalFileName: String, getNewLine: () => '\n' } as never),
  ).toBe('');
});

test('the programs have no cast, and no comment that hides an error', () => {
  for (const name of FILES) {
    const file = ts.createSourceFile(name, textOf(name), ts.ScriptTarget.ESNext, true);
    const visit = (node: ts.Node): void => {
      const isCast = ts.isAsExpression(node) || ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node);
      expect(isCast ? `${name}: ${node.getText(file)}` : '').toBe('');
      ts.forEachChild(node, visit);
    };
    visit(file);
    expect(textOf(name)).not.toMatch(/@ts-|eslint-|biome-/);
  }
});

interface LintResult {
  readonly filePath: string;
  readonly messages: readonly { readonly line: number; readonly ruleId: string | null; readonly message: string }[];
}
interface Linter {
  lintFiles(files: readonly string[]): Promise<LintResult[]>;
  lintText(text: string, options: { readonly filePath: string }): Promise<LintResult[]>;
}

function linter(): Linter {
  const load = createRequire(import.meta.url); // only where a program is linted: both take a second to load
  const { ESLint } = load('eslint') as { ESLint: new (options: object) => Linter };
  const { configs } = load('typescript-eslint') as {
    configs: Record<'strictTypeChecked' | 'stylisticTypeChecked', readonly object[]>;
  };
  const overrideConfig = [
    ...configs.strictTypeChecked,
    ...configs.stylisticTypeChecked,
    { languageOptions: { parserOptions: { programs: [program] } } },
  ];
  return new ESLint({ cwd: FOLDER, overrideConfigFile: true, overrideConfig });
}

const problemsIn = (results: readonly LintResult[]): string[] =>
  results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, ruleId, message }) => `${filePath.slice(FOLDER.length + 1)}:${line} ${ruleId}: ${message}`),
  );

test('the programs follow the strictest rules of typescript-eslint', { timeout: LONG_TEST_HANG_MS }, async () => {
  expect(problemsIn(await linter().lintFiles(FILES))).toEqual([]);
});

test('a program that leaves a promise alone is reported', async () => {
  const problems = problemsIn(await linter().lintText(WRONG, { filePath: PLANTED }));
  expect(problems).toEqual([expect.stringContaining('planted.mts:2 @typescript-eslint/no-floating-promises')]);
});

interface Answers {
  readonly price: { readonly mean: number; readonly error: number };
  readonly ranks: readonly number[];
}

test('the programs give the right answers', async () => {
  mkdirSync(RUN_IN, { recursive: true });
  for (const name of FILES) {
    const compilerOptions = {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    };
    const { outputText } = ts.transpileModule(textOf(name), { compilerOptions, fileName: name });
    writeFileSync(join(RUN_IN, name.replace(/\.mts$/, '.mjs')), outputText);
  }
  const { stdout, stderr } = await runNode(join(RUN_IN, 'answers.mjs'));
  expect(stderr).toBe('');
  const { price, ranks, ...answers } = JSON.parse(stdout) as Answers;
  const sales = { Łódź: 29_999, Porto: 59_996 };
  expect(answers).toEqual({
    thumbnails: ['10', '20', '30'].map((pixel) => pixel.repeat(8)),
    csv: [sales, sales],
    search: ['a.txt:1: to fork', 'deep/b.txt:2: and to join'],
    built: { output: 'base(); list(base()); main(base() list(base()))', steps: '7/7', done: [], failed: [] },
    broken: {
      steps: '7/7',
      done: ['parse base', 'compile base', 'parse list', 'parse main'],
      failed: ["RangeError: list: 'missing' is not there"],
    },
    server: ['200 {"primes":25}', '400 limit must be a number', '400 limit must be a number'],
    game: 0,
    distances: [4, 3, 2, 1, 0, 1, 2, 3, 4],
  });
  expect(ranks.map((rank) => rank.toFixed(9))).toEqual(Array.from({ length: 4 }, () => '0.250000000'));
  const blackScholes = 10.692;
  expect(Math.abs(price.mean - blackScholes)).toBeLessThan(4 * price.error);
});
