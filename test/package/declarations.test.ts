/** Tests the declarations of the built package with the compilers of users. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import oldest from 'oldest-typescript';
import current from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

const FIXTURES = join(ROOT, 'test/package/fixtures');
const fixtures = readdirSync(FIXTURES).map((name) => join(FIXTURES, name));

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
}, LONG_TEST_HANG_MS);

type Compiler = typeof current;

/** The library files of each compiler, which are read once. */
const readBefore = new Map<Compiler, Map<string, current.SourceFile | undefined>>();

function hostOf(ts: Compiler, options: current.CompilerOptions): current.CompilerHost {
  const host = ts.createCompilerHost(options);
  const known = readBefore.get(ts) ?? new Map<string, current.SourceFile | undefined>();
  readBefore.set(ts, known);
  const read = host.getSourceFile;
  host.getSourceFile = (path, ...rest) => {
    if (!/\/lib\.[\w.]+\.d\.ts$/.test(path)) return read.call(host, path, ...rest);
    if (!known.has(path)) known.set(path, read.call(host, path, ...rest));
    return known.get(path);
  };
  return host;
}

/** Compiles the fixtures as strictly as a user can. Returns the errors in them and in the package, and the files read. */
function compile(ts: Compiler, given: Readonly<Record<string, unknown>>): { errors: string[]; files: string[] } {
  const { options, errors: wrong } = ts.convertCompilerOptionsFromJson(
    {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      declaration: true,
      noEmit: true,
      types: [],
      ...given,
    },
    FIXTURES,
  );
  expect(wrong).toEqual([]);
  const program = ts.createProgram(fixtures, options, hostOf(ts, options));
  // Skips the libraries of the compiler and of Node, which are not ours and would take most of the time.
  const ours = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));
  const found = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  for (const file of ours)
    found.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file));
  // A user's own declarations must be able to name the types of what the fixtures export.
  for (const file of ours.filter(({ isDeclarationFile }) => !isDeclarationFile))
    found.push(...program.getDeclarationDiagnostics(file));
  const errors = found.map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : ts.getLineAndCharacterOfPosition(file, start ?? 0).line + 1;
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
  return { errors, files: ours.map(({ fileName }) => fileName.slice(ROOT.length)) };
}

const NODE16 = { module: 'node16', moduleResolution: 'node16' };
const NODE_NEXT = { module: 'nodenext', moduleResolution: 'nodenext' };
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' };
/** The oldest language level that the README promises. */
const ES2020 = { target: 'es2020', lib: ['es2020'] };

describe.each([
  ['the oldest supported TypeScript', oldest as unknown as typeof current, '5.7'],
  ['the current TypeScript', current, '5.9'],
])('%s', (_name, ts, version) => {
  test(`is version ${version}`, () => {
    expect(ts.versionMajorMinor).toBe(version);
  });

  test.each([
    ['node16 and the types of ES2020 only', { ...ES2020, ...NODE16 }],
    ['nodenext and the types of ES2020 and Node', { ...ES2020, ...NODE_NEXT, types: ['node'] }],
    ['bundler and the types of ES2020 only', { ...ES2020, ...BUNDLER }],
    ['bundler and the types of ES2022 and the DOM', { target: 'es2022', lib: ['es2022', 'dom'], ...BUNDLER }],
  ])('accepts the declarations with %s', (_name, options) => {
    expect(compile(ts, options).errors).toEqual([]);
  });
});

test('ES modules and CommonJS modules each get their own built declarations', () => {
  const { files: seen } = compile(current, { ...ES2020, ...NODE16 });
  expect(seen).toEqual(
    expect.arrayContaining(['dist/index.d.ts', 'dist/index.d.cts', 'dist/worker.d.cts', 'dist/tsx.d.ts']),
  );
  expect(seen.filter((file) => file.startsWith('src/'))).toEqual([]);
});

/** The optional properties, methods and tuple elements in declarations that refuse an explicit `undefined`. */
function refusingUndefined(path: string, text?: string): string[] {
  const options: current.CompilerOptions = { strict: true, exactOptionalPropertyTypes: true, types: [] };
  const host = hostOf(current, options);
  const { getSourceFile } = host;
  if (text !== undefined)
    host.getSourceFile = (name, ...rest) =>
      name === path
        ? current.createSourceFile(name, text, current.ScriptTarget.ES2022)
        : getSourceFile.call(host, name, ...rest);
  const program = current.createProgram([path], options, host);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path) as current.SourceFile;
  const refusing: string[] = [];
  const admits = (type: current.TypeNode | undefined): boolean =>
    type !== undefined && checker.isTypeAssignableTo(checker.getUndefinedType(), checker.getTypeFromTypeNode(type));
  const visit = (node: current.Node): void => {
    const isProperty =
      current.isPropertySignature(node) || current.isPropertyDeclaration(node) || current.isNamedTupleMember(node);
    const isOptional = (isProperty || current.isMethodSignature(node)) && node.questionToken !== undefined;
    if (isOptional && !(isProperty && admits(node.type))) refusing.push(node.getText(file));
    current.forEachChild(node, visit);
  };
  visit(file);
  return refusing;
}

test('every optional property of the declarations admits undefined, which exactOptionalPropertyTypes would refuse', () => {
  expect(refusingUndefined(join(ROOT, 'dist/index.d.ts'))).toEqual([]);
});

test('an optional property, method or tuple element that refuses undefined is reported', () => {
  const text = 'interface A { a?: number; b?: number | undefined; c?(): void; d: [e?: number]; f?: unknown }';
  expect(refusingUndefined('/planted.d.ts', text)).toEqual(['a?: number;', 'c?(): void;', 'e?: number']);
});
