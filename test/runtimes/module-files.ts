/**
 * Turns the modules of tests into files that any host can load: see in-host/modules.ts, which loads them.
 *
 * Other engines cannot run vitest, but they can run what vitest makes of a module: TypeScript's types are stripped, calls of `vi.mock` are
 * hoisted, and Vite's transformation for module runners makes a function of it. Rejected: bundles, in which no import can be replaced.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hoistMocks } from '@vitest/mocker/node';
import { transform } from 'esbuild';
import { moduleRunnerTransform, parseAst } from 'vite';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Names of files that `path` may mean: sources import each other as `.js`. */
const sourceOf = (specifier: string, importer: string): string =>
  posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts');

/** esbuild prints strings in double quotes. */
const MOCK_PATH = /(\bvi\s*\.\s*(?:mock|doMock|unmock|doUnmock|importActual)\(\s*)"([^"]+)"/g;

/** A module as a file, and what it imports. */
interface ModuleFile {
  readonly text: string;
  /** Other modules of this project. */
  readonly modules: readonly string[];
  /** Packages, modules of the runtime, and files that are loaded as they are. */
  readonly externals: readonly string[];
}

async function moduleFile(id: string, define: Readonly<Record<string, string>>): Promise<ModuleFile> {
  const source = readFileSync(join(ROOT, id), 'utf8');
  const { code: script } = await transform(source, { loader: 'ts', target: 'es2022', sourcefile: id, define });
  const named = script.replaceAll(
    MOCK_PATH,
    (_, call: string, path: string) => `${call}"${path.startsWith('.') ? sourceOf(path, id) : path}"`,
  );
  // The types of rolldown's and rollup's syntax trees differ; the trees do not.
  const hoisted = hoistMocks(named, id, parseAst as never)?.code ?? named;
  const made = await moduleRunnerTransform(hoisted, null, id, source);
  if (made === null) throw new Error(`${id} cannot be transformed`);
  const { code, deps = [], dynamicDeps = [] } = made;
  const parameters =
    '__vite_ssr_import__, __vite_ssr_dynamic_import__, __vite_ssr_exportName__, __vite_ssr_exportAll__, __vite_ssr_import_meta__';
  const imports = [...new Set([...deps, ...dynamicDeps])];
  const isModule = (specifier: string): boolean =>
    /^\.\.?\//.test(specifier) && sourceOf(specifier, id).endsWith('.ts');
  return {
    text: `export default async (${parameters}) => {\n${code}\n};\n`,
    modules: imports.filter(isModule).map((specifier) => sourceOf(specifier, id)),
    externals: imports.filter((specifier) => !isModule(specifier)),
  };
}

/** What the modules of a test file import from outside, by which a host knows whether it can run the file. */
export type Externals = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Writes these modules and all that they import to `folder`.
 * @returns for each of `ids`, the packages and modules of the runtime that it imports, directly or not
 */
export async function writeModules(
  ids: readonly string[],
  folder: string,
  define: Readonly<Record<string, string>>,
): Promise<Externals> {
  const files = new Map<string, Promise<ModuleFile>>();
  const write = async (id: string): Promise<void> => {
    if (files.has(id)) return;
    const made = moduleFile(id, define);
    files.set(id, made);
    const { text, modules } = await made;
    const path = join(folder, `${id}.js`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    await Promise.all(modules.map(write));
  };
  await Promise.all(ids.map(write));
  const externals = new Map<string, ReadonlySet<string>>();
  for (const id of ids) {
    const seen = new Set<string>();
    const found = new Set<string>();
    const visit = async (at: string): Promise<void> => {
      if (seen.has(at)) return;
      seen.add(at);
      const file = (await files.get(at)) as ModuleFile;
      for (const each of file.externals) found.add(each);
      for (const each of file.modules) await visit(each);
    };
    await visit(id);
    externals.set(id, found);
  }
  return externals;
}
