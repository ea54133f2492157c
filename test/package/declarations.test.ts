/**
 * Tests the declarations of the built package with the compilers of users: the oldest and the newest that the README promises, and the
 * one that this project uses. Each compiles the fixtures with a few combinations of options, which together contain every pair.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import oldest from 'oldest-typescript';
import current from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { runNode } from '../helpers/child-process.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

const FIXTURES = join(ROOT, 'test/package/fixtures');
const SCRATCH = join(ROOT, '.build/declarations');

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
}, LONG_TEST_HANG_MS);

type Compiler = typeof current;
type Options = Readonly<Record<string, unknown>>;

const VERSIONS = ['5.7', '5.9', '7.0'] as const;

const RESOLUTIONS: Readonly<Record<string, Options>> = {
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/** The libraries of a program. ES2020 is the oldest language level that the README promises. */
const LIBRARIES: Readonly<Record<string, Options>> = {
  'ES2020 only': { target: 'es2020', lib: ['es2020'], types: [] },
  'ES2020 and Node': { target: 'es2020', lib: ['es2020'], types: ['node'] },
  'ES2022 and the DOM': { target: 'es2022', lib: ['es2022', 'dom'], types: [] },
  'ESNext, the DOM and Node': { target: 'esnext', lib: ['esnext', 'dom'], types: ['node'] },
};

/** What a user may switch on or off. */
const SWITCHES: Readonly<Record<string, Options>> = {
  exact: { exactOptionalPropertyTypes: true },
  verbatim: { verbatimModuleSyntax: true, isolatedModules: true },
};

interface Combination {
  readonly version: (typeof VERSIONS)[number];
  readonly resolution: string;
  readonly library: string;
  readonly exact: boolean;
  readonly verbatim: boolean;
}

/** Twelve of 144 combinations: for each compiler and library one, with the other choices turned so that all pairs occur. */
const MATRIX: readonly Combination[] = VERSIONS.flatMap((version, v) =>
  Object.keys(LIBRARIES).map((library, k) => ({
    version,
    library,
    resolution: Object.keys(RESOLUTIONS)[(v + k) % 3] as string,
    exact: (v + k) % 2 === 1,
    verbatim: (v + (k >> 1)) % 2 === 1,
  })),
);

/** Options of the strictest user, and what the fixtures need. */
const optionsOf = ({ resolution, library, ...switches }: Combination): Options => ({
  strict: true,
  skipLibCheck: false,
  declaration: true,
  noEmit: true,
  ...RESOLUTIONS[resolution],
  ...LIBRARIES[library],
  ...(switches.exact ? SWITCHES['exact'] : {}),
  ...(switches.verbatim ? SWITCHES['verbatim'] : {}),
});

/** A CommonJS module imports by `import` or by `import = require()`: `verbatimModuleSyntax` allows the latter alone, and in Node alone. */
const fixturesFor = ({ verbatim, resolution }: Combination): string[] =>
  readdirSync(FIXTURES)
    .filter((name) => /\.[cm]ts$/.test(name))
    .filter(
      (name) =>
        !name.endsWith('.cts') ||
        (verbatim ? resolution !== 'bundler' && name === 'required.cts' : name === 'consumer.cts'),
    )
    .map((name) => join(FIXTURES, name));

/** The declarations that a compiler has read: of its libraries, of Node, and of the package. Programs share them, as those of an editor do. */
const readBefore = new Map<Compiler, Map<string, current.SourceFile | undefined>>();

function hostOf(ts: Compiler, options: current.CompilerOptions): current.CompilerHost {
  const host = ts.createCompilerHost(options);
  const known = readBefore.get(ts) ?? new Map<string, current.SourceFile | undefined>();
  readBefore.set(ts, known);
  const read = host.getSourceFile;
  host.getSourceFile = (path, how, ...rest) => {
    if (!/\.d\.[cm]?ts$/.test(path)) return read.call(host, path, how, ...rest);
    const { languageVersion, impliedNodeFormat } = typeof how === 'object' ? how : { languageVersion: how };
    const key = `${path} ${languageVersion} ${impliedNodeFormat}`;
    if (!known.has(key)) known.set(key, read.call(host, path, how, ...rest));
    return known.get(key);
  };
  return host;
}

/** Compiles files in this process. Returns the errors in them and in the package, and the files read. */
function compileHere(ts: Compiler, fixtures: readonly string[], given: Options): { errors: string[]; files: string[] } {
  const { options, errors: wrong } = ts.convertCompilerOptionsFromJson(given, FIXTURES);
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

/** Compiles files with TypeScript 7, which is a program of its own. Returns its errors. */
async function compileNatively(name: string, files: readonly string[], compilerOptions: Options): Promise<string[]> {
  const config = join(SCRATCH, `${name}.json`);
  mkdirSync(SCRATCH, { recursive: true });
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const compiler = dirname(createRequire(import.meta.url).resolve('newest-typescript/package.json'));
  const { code, stdout, stderr } = await runNode(join(compiler, 'bin/tsc'), '--pretty', 'false', '-p', config);
  const errors = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  if (code !== 0 && errors.length === 0) errors.push(`exit code ${code}`);
  return errors;
}

const HERE: Readonly<Record<string, Compiler>> = { '5.7': oldest as unknown as Compiler, '5.9': current };

const errorsOf = async (combination: Combination): Promise<string[]> => {
  const ts = HERE[combination.version];
  const files = fixturesFor(combination);
  if (ts !== undefined) return compileHere(ts, files, optionsOf(combination)).errors;
  return compileNatively(combination.library.replace(/\W+/g, '-'), files, optionsOf(combination));
};

describe('the declarations are accepted', () => {
  test.each(MATRIX)(
    'by TypeScript $version, $resolution, $library, exact: $exact, verbatim: $verbatim',
    async (one) => {
      expect(await errorsOf(one)).toEqual([]);
    },
  );
});

test('the declarations are accepted by JavaScript whose types are checked', () => {
  const options = { ...optionsOf(MATRIX[3] as Combination), ...RESOLUTIONS['nodenext'], allowJs: true, checkJs: true };
  expect(compileHere(current, [join(FIXTURES, 'checked.mjs')], options).errors).toEqual([]);
});

test('the combinations contain every pair of choices', () => {
  const choices: Readonly<Record<keyof Combination, readonly unknown[]>> = {
    version: VERSIONS,
    resolution: Object.keys(RESOLUTIONS),
    library: Object.keys(LIBRARIES),
    exact: [false, true],
    verbatim: [false, true],
  };
  const factors = Object.keys(choices) as (keyof Combination)[];
  for (const [a, one] of factors.entries())
    for (const other of factors.slice(a + 1))
      for (const left of choices[one])
        for (const right of choices[other])
          expect(
            MATRIX.some((each) => each[one] === left && each[other] === right),
            `${left}, ${right}`,
          ).toBe(true);
});

test('the compilers are those of the matrix', async () => {
  for (const [version, ts] of Object.entries(HERE)) expect(ts.versionMajorMinor).toBe(version);
  const { version } = createRequire(import.meta.url)('newest-typescript/package.json') as { version: string };
  expect(version.split('.').slice(0, 2).join('.')).toBe('7.0');
});

test.each(VERSIONS)('TypeScript %s reports a fixture that is wrong', async (version) => {
  const wrong = join(SCRATCH, `wrong-${version}.mts`);
  mkdirSync(SCRATCH, { recursive: true });
  writeFileSync(wrong, "import { parallelFor } from 'furcate';\nparallelFor(10, async () => {});\n");
  const options = optionsOf(MATRIX.find((one) => one.version === version) as Combination);
  const ts = HERE[version];
  const errors = ts ? compileHere(ts, [wrong], options).errors : await compileNatively('wrong', [wrong], options);
  expect(errors.join('\n')).toContain('nothing would await the promise');
});

test('ES modules and CommonJS modules each get their own built declarations', () => {
  const [one] = MATRIX as [Combination];
  const { files: seen } = compileHere(current, fixturesFor(one), optionsOf(one));
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
