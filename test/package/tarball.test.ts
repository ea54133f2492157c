/**
 * Tests the types of the package as npm would publish it, in a user's project with `skipLibCheck: false`, in every mode of module resolution: what a mode finds by the
 * `exports` of the package, and nothing that only this repository has.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

let project = '';

const link = (name: string): void => {
  mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
};

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  project = mkdtempSync(join(tmpdir(), 'furcate-tarball-'));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  const listed = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename }] = JSON.parse(listed) as [{ filename: string }];
  execFileSync('tar', ['xzf', filename], { cwd: project });
  mkdirSync(join(project, 'node_modules'));
  execFileSync('mv', ['package', 'node_modules/furcate'], { cwd: project });
  for (const name of ['@types/node', 'undici-types', '@nats-io']) link(name);
}, LONG_TEST_HANG_MS);

afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The entries that a module of some kind can import; some are ES modules only. */
function entriesOf(condition: 'import' | 'require'): string[] {
  const { exports } = JSON.parse(readFileSync(join(project, 'node_modules/furcate/package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, unknown>>;
  };
  return Object.entries(exports)
    .filter(([, found]) => typeof found === 'object' && (condition === 'import' || 'require' in found))
    .map(([path]) => `furcate${path.slice(1)}`);
}

const importsOf = (entries: readonly string[]): string =>
  entries.map((entry, k) => `import * as e${k} from '${entry}';\n`).join('') +
  `export const all = [${entries.map((_, k) => `e${k}`)}];\n`;

/** The platform's types, which all programs read. */
const platform = new Map<string, ts.SourceFile | undefined>();

/** The errors in a program, its packages included: but for those of the platform's types, which take most of the time and are not ours. */
function errorsIn(file: string, text: string, options: ts.CompilerOptions): string[] {
  const path = join(project, file);
  writeFileSync(path, text);
  const all: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    ...options,
  };
  const host = ts.createCompilerHost(all);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (!/\/typescript\/lib\/|\/@types\/node\//.test(name)) return getSourceFile.call(host, name, ...rest);
    if (!platform.has(name)) platform.set(name, getSourceFile.call(host, name, ...rest));
    return platform.get(name);
  };
  const program = ts.createProgram([path], all, host);
  const found = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => /\/node_modules\/furcate\//.test(fileName) || fileName === path);
  expect(ours.length).toBeGreaterThan(1);
  for (const one of ours) found.push(...program.getSyntacticDiagnostics(one), ...program.getSemanticDiagnostics(one));
  return found.map(
    ({ file: at, messageText }) => `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
}

const { Node16, NodeNext, Bundler } = ts.ModuleResolutionKind;
test.each([
  ['node16', 'import', 'user.mts', { module: ts.ModuleKind.Node16, moduleResolution: Node16 }],
  ['node16', 'require', 'user.cts', { module: ts.ModuleKind.Node16, moduleResolution: Node16 }],
  ['nodenext', 'import', 'user.mts', { module: ts.ModuleKind.NodeNext, moduleResolution: NodeNext }],
  ['bundler', 'import', 'user.ts', { module: ts.ModuleKind.ESNext, moduleResolution: Bundler }],
] as const)('under %s, all entries for %s have types without an error', (_, condition, file, options) => {
  const entries = entriesOf(condition);
  expect(entries).toContain('furcate/flows');
  expect(errorsIn(file, importsOf(entries), options)).toEqual([]);
});

test('a type that is wrong in the package is reported', () => {
  const flows = join(project, 'node_modules/furcate/dist/flows.d.ts');
  const text = readFileSync(flows, 'utf8');
  writeFileSync(flows, `${text}\nexport declare const planted: Missing;\n`);
  try {
    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: NodeNext };
    expect(errorsIn('user.mts', importsOf(['furcate/flows']), options).join()).toContain("Cannot find name 'Missing'");
  } finally {
    writeFileSync(flows, text);
  }
});
