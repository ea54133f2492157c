/**
 * Builds dist/ with tsup: the library as one script, which threads run, then the modules that load it or hold it.
 *
 * Run as `tsx scripts/build.ts [--if-stale]`; the tests call `ensureBuild`. A build is stale when the contents of its
 * inputs changed, whatever the clocks say. It is made in .build/ and moved into dist/ file by file, so whoever reads
 * dist/ meanwhile finds every file whole, and a build that fails leaves the last good one in place.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Options, build as tsup } from 'tsup';
import { kernelsLiteral } from './kernels.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const SCRATCH = join(ROOT, '.build');
const LOCK = join(SCRATCH, 'lock');

/** A lock older than this belongs to a build that died without removing it; a whole build takes at most 30 s. */
const LOCK_MAX_AGE_MS = 120_000;
const LOCK_POLL_MS = 50;

/** Everything a build depends on, relative to the root; folders count with all that is in them. */
const INPUTS = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.declarations.json',
  'scripts/build.ts',
  'scripts/kernels.ts',
];

/** What a build can be asked for: the scripts alone (1 s), or the declarations too (4 s). */
type Part = 'scripts' | 'declarations';

const ENTRIES = {
  index: join(ROOT, 'src/index.ts'),
  worker: join(ROOT, 'src/entry/worker.ts'),
  tsx: join(ROOT, 'src/entry/tsx.ts'),
};

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.name.endsWith('.md'))
    .flatMap((entry) => filesUnder(join(path, entry.name)))
    .sort();
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap((input) => filesUnder(join(ROOT, input)))) {
    hash
      .update(`${file.slice(ROOT.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

const stampOf = (part: Part): string => join(SCRATCH, `${part}.stamp`);

function isFresh(part: Part, inputs: string): boolean {
  const product = join(DIST, part === 'scripts' ? 'index.js' : 'index.d.ts');
  return existsSync(product) && existsSync(stampOf(part)) && readFileSync(stampOf(part), 'utf8') === inputs;
}

/** Runs `body` while no other process builds; several test runs may start at once. */
async function locked<T>(body: () => Promise<T>): Promise<T> {
  mkdirSync(SCRATCH, { recursive: true });
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_MAX_AGE_MS) rmSync(LOCK, { recursive: true, force: true });
      else await delay(LOCK_POLL_MS);
    }
  }
  try {
    return await body();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Gives classes their names back. When a class refers to itself, esbuild bundles `class A` as `var A = class _A`, and
 * errors and stack traces would show `_A`. The inner name may as well be the outer one: both are the class.
 */
export function restoreClassNames(code: string): string {
  const renamed = [...code.matchAll(/\bvar ([A-Za-z$][\w$]*) ?= ?class _\1\b/g)].map((match) => match[1] as string);
  return renamed.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w$.#])_${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'), () => name),
    code,
  );
}

/** The tsx entry holds none of the library. */
const restore = (code: string): string => (code.includes('ForkJoinPool') ? restoreClassNames(code) : code);

/** No minifying and no `keepNames`: the first hides names, the second runs a helper at every closure that is made. */
function options(outDir: string, library = '""', kernels = '""'): Options {
  return {
    config: false,
    outDir,
    tsconfig: join(ROOT, 'tsconfig.json'),
    target: 'es2022',
    platform: 'neutral',
    splitting: false,
    sourcemap: false,
    silent: true,
    clean: false,
    dts: false,
    plugins: [{ name: 'restore', renderChunk: (code) => ({ code: restore(code) }) }],
    define: {
      __FURCATE_LIBRARY__: library,
      __FURCATE_KERNELS__: kernels,
      __FURCATE_VERSION__: JSON.stringify(packageVersion()),
    },
  };
}

/**
 * The library as a script: an expression whose value is a function, or all its names would be globals that inline
 * functions see in workers. In itself it is called `library`. Names stay.
 */
async function buildLibrary(
  outDir: string,
  kernels: string,
  { minify = false, esbuildPlugins = [] }: { minify?: boolean; esbuildPlugins?: Options['esbuildPlugins'] } = {},
): Promise<string> {
  await tsup({
    ...options(outDir, 'library', kernels),
    esbuildPlugins,
    entry: { library: join(ROOT, 'src/entry/library.ts') },
    format: ['cjs'],
    esbuildOptions(esbuild) {
      esbuild.minifyWhitespace = minify;
      esbuild.legalComments = 'none';
    },
  });
  const product = join(outDir, 'library.cjs');
  const code = readFileSync(product, 'utf8').trimEnd();
  rmSync(product);
  if (/[^\0-\x7f]/.test(code)) throw new Error('the library is read as Latin-1, and holds other letters');
  return `(function furcate(library, isWorker) {${code}\n})`;
}

/** The public face on src/entry/runtime-of-thread.ts, which loads the library as `loader` does. */
function thin(loader: string): Options {
  const entry = (file: string) => () => ({ path: join(ROOT, 'src/entry', file) });
  return {
    plugins: [],
    esbuildPlugins: [
      {
        name: 'thin',
        setup(build) {
          build.onResolve({ filter: /^\.\.?\/runtime\.js$/ }, entry('runtime-of-thread.ts'));
          build.onResolve({ filter: /^\.\/load-runtime\.js$/ }, entry(loader));
        },
      },
    ],
  };
}

async function buildScripts(outDir: string): Promise<void> {
  const kernels = await kernelsLiteral();
  writeFileSync(join(outDir, 'runtime.cjs'), await buildLibrary(outDir, kernels));
  // Thin, for Node: they load that script into a thread that has no runtime yet.
  await tsup({ ...options(outDir), ...thin('load-runtime-node.ts'), entry: { node: ENTRIES.index }, format: ['esm'] });
  const { index, worker } = ENTRIES;
  await tsup({ ...options(outDir), ...thin('load-runtime.ts'), entry: { index, worker }, format: ['cjs'] });
  // Whole, for bundlers, with the script as a string in it; a bundler's own worker entry starts no others.
  const text = JSON.stringify(await buildLibrary(outDir, kernels, { minify: true }));
  await tsup({ ...options(outDir, text, kernels), entry: { index }, format: ['esm'] });
  await tsup({ ...options(outDir, '""', kernels), entry: { worker }, format: ['esm'] });
  // ES module only: it awaits at its top level.
  await tsup({ ...options(outDir), entry: { tsx: ENTRIES.tsx }, format: ['esm'] });
}

/** A change of one source file, for a variant: `find` must be there, once. */
export interface Change {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/**
 * Makes the changes while esbuild reads the sources.
 *
 * @throws when a change no longer fits the source
 */
function changing(changes: readonly Change[]): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'changing',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const mine = changes.filter(({ file }) => path === join(ROOT, file));
        if (mine.length === 0) return undefined;
        const contents = mine.reduce(
          (text, { file, find, replace }) => {
            const count = text.split(find).length - 1;
            if (count !== 1) throw new Error(`${file} holds '${find}' ${count} times, not once`);
            return text.replace(find, () => replace);
          },
          readFileSync(path, 'utf8'),
        );
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * Makes the library with some of its sources changed, for tests: hooks in it, or sizes that are never met otherwise. A
 * program that imports it before `furcate` runs on it, in its workers too: the first runtime of a realm is used by all.
 *
 * @param name of its folder in .build/
 * @returns the path of its one module
 */
export async function ensureVariant(name: string, changes: readonly Change[]): Promise<string> {
  const outDir = join(SCRATCH, `variant-${name}`);
  const product = join(outDir, 'index.js');
  await locked(async () => {
    const inputs = `${fingerprint()} ${JSON.stringify(changes)}`;
    const stamp = join(SCRATCH, `variant-${name}.stamp`);
    if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;
    const esbuildPlugins = [changing(changes)];
    const kernels = await kernelsLiteral();
    const text = JSON.stringify(await buildLibrary(outDir, kernels, { minify: true, esbuildPlugins }));
    await tsup({
      ...options(outDir, text, kernels),
      esbuildPlugins,
      entry: { index: ENTRIES.index },
      format: ['esm'],
    });
    writeFileSync(stamp, inputs);
  });
  return product;
}

/** The TypeScript compiler declares each source file; tsup joins what `furcate` exports from those into one file. */
async function buildDeclarations(outDir: string): Promise<void> {
  const declared = join(SCRATCH, 'declared');
  rmSync(declared, { recursive: true, force: true });
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'tsconfig.declarations.json')];
  await promisify(execFile)(process.execPath, [...tsc, '--outDir', declared]);
  await tsup({
    ...options(outDir),
    entry: { index: join(declared, 'index.d.ts') },
    format: ['esm'],
    dts: { only: true },
  });
  const index = join(outDir, 'index.d.ts');
  // `Symbol.asyncDispose` is newer than the language level that users may compile for.
  writeFileSync(index, `/// <reference lib="esnext.disposable" />\n${readFileSync(index, 'utf8')}`);
  for (const name of ['worker.d.ts', 'tsx.d.ts']) copyFileSync(join(declared, 'entry', name), join(outDir, name));
  // CommonJS modules get declarations of their own: TypeScript takes `.d.ts` for those of an ES module here.
  for (const name of ['index', 'worker']) copyFileSync(join(outDir, `${name}.d.ts`), join(outDir, `${name}.d.cts`));
}

async function make(part: Part, inputs: string): Promise<void> {
  const outDir = join(SCRATCH, part);
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  await (part === 'scripts' ? buildScripts(outDir) : buildDeclarations(outDir));
  mkdirSync(DIST, { recursive: true });
  for (const file of readdirSync(outDir)) renameSync(join(outDir, file), join(DIST, file));
  writeFileSync(stampOf(part), inputs);
}

/**
 * Makes the parts of the build that are stale, one process at a time.
 * @param parts what is needed; only the scripts by default.
 * @param rebuild makes them even if they are fresh, from an empty dist/.
 * @returns whether anything was made.
 */
export async function ensureBuild(parts: readonly Part[] = ['scripts'], { rebuild = false } = {}): Promise<boolean> {
  return locked(async () => {
    if (rebuild) rmSync(DIST, { recursive: true, force: true });
    // Taken before the sources are read: an edit during the build leaves it stale.
    const inputs = fingerprint();
    const stale = parts.filter((part) => rebuild || !isFresh(part, inputs));
    for (const part of stale) await make(part, inputs);
    return stale.length > 0;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rebuild = !process.argv.includes('--if-stale');
  const startedMs = performance.now();
  const made = await ensureBuild(['scripts', 'declarations'], { rebuild });
  const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(made ? `dist/ built in ${tookSeconds} s` : 'dist/ is up to date');
}
