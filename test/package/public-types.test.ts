/** Tests that no public type is `any`: what an entry imports and does not find is, silently, in programs with `skipLibCheck`. */
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
}, LONG_TEST_HANG_MS);

const ENTRIES = ['index', 'flows', 'insight', 'cluster', 'doctor'];

/** The places in declarations, by name, whose type is `any`: properties, parameters, results, and the ends of type aliases. */
function anywhereAny(paths: readonly string[], host?: ts.CompilerHost): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    types: [],
  };
  const program = ts.createProgram(paths, options, host);
  const checker = program.getTypeChecker();
  const found: string[] = [];
  for (const path of paths) {
    const file = program.getSourceFile(path) as ts.SourceFile;
    const visit = (node: ts.Node): void => {
      const isType = ts.isTypeNode(node) && !ts.isTemplateLiteralTypeSpan(node);
      if (isType && checker.getTypeFromTypeNode(node).flags & ts.TypeFlags.Any)
        found.push(`${path.split('/').at(-1)}: ${node.parent.getText(file).split('\n')[0]}`);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

test('no public type is any', () => {
  expect(anywhereAny(ENTRIES.map((name) => join(ROOT, 'dist', `${name}.d.ts`)))).toEqual([]);
});

test('a type that is missing is reported, as the base of an interface too', () => {
  const text = "import { Gone } from './gone.js';\nexport interface A extends Omit<Gone, 'x'> { a: Gone; b: any }\n";
  const host = ts.createCompilerHost({});
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === '/planted.d.ts' || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path === '/planted.d.ts'
      ? ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
      : getSourceFile(path, ...rest);
  expect(anywhereAny(['/planted.d.ts'], host)).toEqual([
    "planted.d.ts: Omit<Gone, 'x'>",
    'planted.d.ts: a: Gone;',
    'planted.d.ts: b: any',
  ]);
});
