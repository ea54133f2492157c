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
    { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, types: [], ...given },
    FIXTURES,
  );
  expect(wrong).toEqual([]);
  const program = ts.createProgram(fixtures, options, hostOf(ts, options));
  // Skips the libraries of the compiler and of Node, which are not ours and would take most of the time.
  const ours = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));
  const found = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  for (const file of ours)
    found.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file));
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
