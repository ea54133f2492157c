/**
 * Builds dist/: the parts of the library (parts.ts), and the entries of the package, which load or import the parts.
 *
 * Run as `tsx scripts/build.ts [--if-stale]`; the tests call `ensureBuild`. A build is stale if the contents of its inputs have
 * changed; file times do not matter. The script builds in .build/ and moves the results into dist/ file by file. So a reader of dist/
 * always finds complete files, and a failed build leaves the last good one in place.
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
import { type Plugin, rolldown } from 'rolldown';
import { build as tsup } from 'tsup';
import type { Change } from './changes/index.js';
import {
  clusterLibraryModule,
  flowsModule,
  type How,
  indexModule,
  insightModule,
  partsModule,
  REQUIRE,
  VALUES_MODULE,
  valuesModule,
} from './entry-modules.js';
import { kernelTexts } from './kernels.js';
import { inLines } from './lines.js';
import { HOSTS, buildParts as makeParts, options } from './parts.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const SCRATCH = join(ROOT, '.build');
const LOCK = join(SCRATCH, 'lock');

/** Age at which a lock belongs to a build that died (ms). A whole build takes at most 30 s. */
const LOCK_MAX_AGE_MS = 120_000;
const LOCK_POLL_MS = 50;

/** Files and folders that a build depends on, relative to the root. */
const INPUTS = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.declarations.json',
  'scripts/build.ts',
  'scripts/changes',
  'scripts/door.ts',
  'scripts/entry-modules.ts',
  'scripts/kernels.ts',
  'scripts/lines.ts',
  'scripts/parts.ts',
  'scripts/private-names.ts',
];

/** What a build makes: the scripts (1 s) and the declarations (4 s). */
type Product = 'scripts' | 'declarations';

const ENTRIES = {
  index: join(ROOT, 'src/index.ts'),
  flows: join(ROOT, 'src/flows/index.ts'),
  insight: join(ROOT, 'src/insight/index.ts'),
  worker: join(ROOT, 'src/entry/worker.ts'),
  completeWorker: join(ROOT, 'src/entry/complete-worker.ts'),
  cluster: join(ROOT, 'src/cluster/index.ts'),
  clusterHeartbeat: join(ROOT, 'src/cluster/host/heartbeat-thread.ts'),
  clusterPorts: join(ROOT, 'src/cluster/operate/ports-thread.ts'),
  clusterHost: join(ROOT, 'src/entry/cluster-host.ts'),
  clusterCommand: join(ROOT, 'src/entry/cluster-command.ts'),
  tsx: join(ROOT, 'src/entry/tsx.ts'),
  doctor: join(ROOT, 'src/entry/doctor.ts'),
  command: join(ROOT, 'src/entry/command.ts'),
  top: join(ROOT, 'src/entry/top.ts'),
  view: join(ROOT, 'src/insight/view/command-view.ts'),
  viewPage: join(ROOT, 'src/insight/view/page/main.ts'),
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

const stampOf = (product: Product): string => join(SCRATCH, `${product}.stamp`);

function isFresh(product: Product, inputs: string): boolean {
  const main = join(DIST, product === 'scripts' ? 'index.js' : 'index.d.ts');
  return existsSync(main) && existsSync(stampOf(product)) && readFileSync(stampOf(product), 'utf8') === inputs;
}

/** Runs `body` while no other process has the lock, by default that of builds. Several test runs may start at once. */
export async function locked<T>(body: () => Promise<T>, lock = LOCK): Promise<T> {
  mkdirSync(SCRATCH, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > LOCK_MAX_AGE_MS) rmSync(lock, { recursive: true, force: true });
      else await delay(LOCK_POLL_MS);
    }
  }
  try {
    return await body();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

interface Shape {
  readonly format?: 'es' | 'cjs';
  /** The entry that Node takes in the place of this one. */
  readonly inNode?: string;
  /** Nobody reads it, and no stack trace of a user's program leads into it: the command `furcate view`, and the script of its page. */
  readonly isMinified?: boolean;
}

/**
 * Some tools that copy the files of a program know the condition `module`, and follow the imports from there; the program then runs in Node, which does
 * not know it. @vercel/nft copies the file that this function names. It has no effect on bundlers, which leave a function out that nobody calls.
 */
const naming = (file: string): string => `function fileOfNode() { return __dirname + '/${file}'; }\n`;

/** Builds an entry of the package from a source file. */
async function buildEntry(
  file: string,
  entry: string,
  base: ReturnType<typeof options>,
  { format = 'es', inNode, isMinified = false }: Shape = {},
): Promise<void> {
  const finishing: Plugin = {
    name: 'finishing', // after Rolldown, which leaves out functions that nobody calls
    generateBundle(_, made) {
      for (const chunk of Object.values(made)) {
        if (chunk.type === 'chunk')
          chunk.code = chunk.code.replaceAll(REQUIRE, 'require') + (inNode === undefined ? '' : naming(inNode));
      }
    },
  };
  const bundle = await rolldown({ ...base, plugins: [...base.plugins, finishing], input: entry });
  await bundle.write({
    file,
    format,
    paths: (id) => id.replace(/^part:(.*)/, './$1.js'),
    exports: 'named',
    esModule: true,
    charset: 'ascii',
    comments: { jsdoc: false, annotation: !isMinified },
    minify: isMinified,
  });
}

/** Writes the parts and what they are found through; returns the modules of src that an entry has another text of. */
async function buildParts(
  outDir: string,
  changes: readonly Change[] = [],
): Promise<(...args: [how: How, hosts: readonly string[], kind?: { isWhole: boolean }]) => Record<string, string>> {
  const layout = await makeParts(outDir, options(packageVersion(), changes), await kernelTexts());
  writeFileSync(join(outDir, `${VALUES_MODULE}.js`), valuesModule(layout, outDir));
  return (how, hosts, kind) => ({
    'src/entry/parts.ts': partsModule(how, layout, hosts, kind),
    'src/index.ts': indexModule(layout),
    'src/flows/index.ts': flowsModule(layout),
    'src/insight/index.ts': insightModule(layout),
    'src/cluster/library.ts': clusterLibraryModule(layout),
  });
}

async function buildScripts(outDir: string): Promise<void> {
  const version = packageVersion();
  const replacing = await buildParts(outDir);
  const {
    index,
    flows,
    insight,
    cluster,
    clusterHeartbeat,
    clusterHost,
    worker,
    completeWorker,
    tsx,
    doctor,
    command,
  } = ENTRIES;
  // For Node: the parts are files next to the entry, which reads them on first use.
  const script = options(version, [], replacing('scriptFiles', ['nodeHost']));
  const module = options(version, [], replacing('moduleFiles', ['nodeHost']));
  // What is in a bundle, or on a page without one, may run anywhere, unless it is known to be for browsers.
  const anywhere = options(version, [], replacing('modules', Object.keys(HOSTS)));
  const browser = options(version, [], replacing('modules', ['webHost']));
  const whole = options(version, [], replacing('modules', Object.keys(HOSTS), { isWhole: true }));
  const product = (name: string): string => join(outDir, name);
  await Promise.all([
    buildEntry(product('node.js'), index, module),
    buildEntry(product('index.cjs'), index, script, { format: 'cjs' }),
    buildEntry(product('worker.cjs'), worker, script, { format: 'cjs' }),
    buildEntry(product('index.js'), index, anywhere, { inNode: 'node.js' }),
    buildEntry(product('worker.js'), worker, anywhere, { inNode: 'worker.cjs' }),
    buildEntry(product('browser.js'), index, browser),
    buildEntry(product('flowsNode.js'), flows, module),
    buildEntry(product('flows.cjs'), flows, script, { format: 'cjs' }),
    buildEntry(product('flows.js'), flows, anywhere, { inNode: 'flowsNode.js' }),
    buildEntry(product('flowsBrowser.js'), flows, browser),
    buildEntry(product('insightNode.js'), insight, module),
    buildEntry(product('insight.cjs'), insight, script, { format: 'cjs' }),
    buildEntry(product('insight.js'), insight, anywhere, { inNode: 'insightNode.js' }),
    buildEntry(product('insightBrowser.js'), insight, browser),
    buildEntry(product('browserWorker.js'), worker, browser),
    buildEntry(product('completeWorker.js'), completeWorker, whole),
    buildEntry(product('cluster.js'), cluster, module),
    buildEntry(product('clusterHeartbeat.js'), clusterHeartbeat, options(version)),
    buildEntry(product('clusterPorts.js'), ENTRIES.clusterPorts, options(version)),
    buildEntry(product('clusterHost.js'), clusterHost, options(version)),
    buildEntry(product('clusterCommand.js'), ENTRIES.clusterCommand, options(version)),
    buildEntry(product('tsx.js'), tsx, options(version)),
    buildEntry(product('doctor.js'), doctor, options(version)),
    buildEntry(product('command.js'), command, options(version)),
    buildEntry(product('top.js'), ENTRIES.top, options(version)),
    buildEntry(product('view.js'), ENTRIES.view, options(version), { isMinified: true }),
    buildEntry(product('viewPage.js'), ENTRIES.viewPage, options(version), { isMinified: true }),
  ]);
  for (const path of readdirSync(outDir).map(product)) writeFileSync(path, inLines(readFileSync(path, 'utf8')));
}

/**
 * Builds the library from changed sources, for tests that need hooks or unusual sizes. A program that imports the variant before
 * `furcate` runs on the variant, in its workers too, because the first runtime of a realm serves all imports.
 *
 * @param name the name of the variant's folder in .build/
 * @returns the path of the variant's only module
 */
export async function ensureVariant(name: string, changes: readonly Change[]): Promise<string> {
  const outDir = join(SCRATCH, `variant-${name}`);
  const product = join(outDir, 'index.js');
  await locked(async () => {
    const inputs = `${fingerprint()} ${JSON.stringify(changes)}`;
    const stamp = join(SCRATCH, `variant-${name}.stamp`);
    if (existsSync(product) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;
    mkdirSync(outDir, { recursive: true });
    const replacing = await buildParts(outDir, changes);
    // Its parts are files, as Node's users have them: a worker starts in two thirds of the time that the text of the functions takes.
    const changed = options(packageVersion(), changes, replacing('moduleFiles', ['nodeHost']));
    await buildEntry(product, ENTRIES.index, changed);
    await buildEntry(join(outDir, 'flows.js'), ENTRIES.flows, changed);
    writeFileSync(stamp, inputs);
  });
  return product;
}

/** Builds the declarations: the TypeScript compiler makes one file for each source file, and tsup joins the exports into one file. */
async function buildDeclarations(outDir: string): Promise<void> {
  const declared = join(SCRATCH, 'declared');
  rmSync(declared, { recursive: true, force: true });
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'tsconfig.declarations.json')];
  await promisify(execFile)(process.execPath, [...tsc, '--outDir', declared]);
  await tsup({
    config: false,
    outDir,
    tsconfig: join(ROOT, 'tsconfig.json'),
    silent: true,
    clean: false,
    entry: {
      index: join(declared, 'index.d.ts'),
      doctor: join(declared, 'entry/doctor.d.ts'),
      cluster: join(declared, 'cluster/index.d.ts'),
    },
    external: ['furcate', /^@nats-io\//],
    format: ['esm'],
    dts: { only: true },
  });
  await buildDeclarationsBeside(declared, outDir, ['flows', 'insight']);
  const index = join(outDir, 'index.d.ts');
  // Users may compile for a language level that lacks `Symbol.asyncDispose`.
  writeFileSync(index, `/// <reference lib="esnext.disposable" />\n${readFileSync(index, 'utf8')}`);
  for (const name of ['worker.d.ts', 'tsx.d.ts']) copyFileSync(join(declared, 'entry', name), join(outDir, name));
  copyFileSync(join(declared, 'entry/complete-worker.d.ts'), join(outDir, 'completeWorker.d.ts'));
  // CommonJS modules need their own declarations, because TypeScript takes a `.d.ts` of this package for that of an ES module.
  for (const name of ['index', 'worker']) copyFileSync(join(outDir, `${name}.d.ts`), join(outDir, `${name}.d.cts`));
}

/** What modules of other entries import of the rest of the library, as their declarations say it. */
const FROM_LIBRARY = /(?<=from ')(\.\.?\/)+core\/[^']*(?=')/g;

/** The declarations of `furcate/flows` and the like import the types of `furcate`, so that a program has each type once. */
async function buildDeclarationsBeside(declared: string, outDir: string, entries: readonly string[]): Promise<void> {
  const made = join(declared, 'made');
  await tsup({
    config: false,
    outDir: made,
    tsconfig: join(ROOT, 'tsconfig.json'),
    silent: true,
    entry: Object.fromEntries(entries.map((name) => [name, join(declared, name, 'index.d.ts')])),
    external: [/\/core\//],
    format: ['esm'],
    dts: { only: true },
  });
  for (const name of entries) {
    const text = readFileSync(join(made, `${name}.d.ts`), 'utf8');
    writeFileSync(join(outDir, `${name}.d.ts`), text.replace(FROM_LIBRARY, './index.js'));
    writeFileSync(join(outDir, `${name}.d.cts`), text.replace(FROM_LIBRARY, './index.cjs'));
  }
}

async function make(product: Product, inputs: string): Promise<void> {
  const outDir = join(SCRATCH, product);
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  await (product === 'scripts' ? buildScripts(outDir) : buildDeclarations(outDir));
  mkdirSync(DIST, { recursive: true });
  const made = readdirSync(outDir);
  const isOfProduct = product === 'scripts' ? /\.c?js$/ : /\.d\.c?ts$/;
  for (const file of made) renameSync(join(outDir, file), join(DIST, file));
  for (const file of readdirSync(DIST)) if (isOfProduct.test(file) && !made.includes(file)) rmSync(join(DIST, file));
  writeFileSync(stampOf(product), inputs);
}

/**
 * Builds the stale products, one process at a time.
 * @param products those that are needed; by default, only the scripts.
 * @param rebuild empties dist/ and builds them even if they are fresh.
 * @returns whether it built anything.
 */
export async function ensureBuild(
  products: readonly Product[] = ['scripts'],
  { rebuild = false } = {},
): Promise<boolean> {
  return locked(async () => {
    if (rebuild) rmSync(DIST, { recursive: true, force: true });
    // Computed before the build reads the sources, so that an edit during the build leaves it stale.
    const inputs = fingerprint();
    const stale = products.filter((product) => rebuild || !isFresh(product, inputs));
    for (const product of stale) await make(product, inputs);
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
