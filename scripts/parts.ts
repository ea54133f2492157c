/**
 * Makes the parts of the library from its sources. A part is a module that exports one function, which contains the whole part.
 *
 * ```
 * export default function furcateSort(furcateParts) {
 *   const { a: fork, b: join } = furcateParts.core;      imports from other parts are constants of the function
 *   ...
 *   return { parallelSort, parallelSortSync };           the exports
 * }
 * ```
 *
 * Rolldown cuts the sources into chunks, one for each part, and links them; `asFunction` rewrites a chunk's first and last statements.
 * Node runs the file as a script, and bundlers import it as a module. Workers of a bundle get the function's `toString()`. The core's
 * function takes the texts that a worker is started with: its own, and those of the hosts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type InputOptions, type OutputChunk, type Plugin, type PluginContext, rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { KERNEL_GROUPS, type KernelGroup, partOfGroup } from '../src/algorithms/kernels/wasm-groups.js';
import { type Change, changed } from './changes/index.js';
import { throughDoor } from './door.js';
import { withoutPrivateNames } from './private-names.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');

type Part = string;

const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** The families of functions in a folder of src, each with the module of its public functions: what the folder's index.ts exports all of. */
const familiesIn = (folder: string): Readonly<Record<Part, string>> =>
  Object.fromEntries(
    [...readFileSync(join(SRC, folder, 'index.ts'), 'utf8').matchAll(/^export \* from '\.\/(.+)\.js';$/gm)].map(
      ([, path = '']) => {
        const [first = '', ...more] = basename(path.replace(/\/index$/, '')).split('-');
        return [first + more.map(capitalized).join(''), `${folder}/${path}.ts`];
      },
    ),
  );

/** What `furcate` exports beside the core. */
export const ALGORITHMS = familiesIn('algorithms');
/** What `furcate/flows` exports. */
export const FLOWS = familiesIn('flows');
export const FAMILIES: Readonly<Record<Part, string>> = { ...ALGORITHMS, ...FLOWS };
/** What families load when a call has plain values. It shares code with families as they do. */
export const ON_DEMAND = { values: 'algorithms/values/index.ts' };
/** A family that contains this file loads `values` on demand, and then asynchronous tasks. */
const VALUES_DOOR = join(SRC, 'algorithms/call/plain-values.ts');
/** The hosts, likeliest first: Bun and Deno have Node's modules and web workers. What both need is in the core. */
export const HOSTS = { nodeHost: 'core/platform/node.ts', webHost: 'core/platform/web.ts' };
/** What hosts without a serializer ask for; others never read it. */
const CODEC = { codec: 'core/platform/portable-codec.ts' };
/** What stands between the core and the runtime. */
export const PLATFORM = { ...HOSTS, ...CODEC };
/** What a program loads if something stays in flight for long; never in workers. */
const STALLS = { stalls: 'insight/stalls/index.ts' };
/** What a program loads if it listens to what pools tell. */
const CHANNELS = { channels: 'insight/channels/index.ts' };
/** What `furcate/insight` exports. The first is in workers, too: what observes their tasks. */
export const INSIGHT = { observing: 'insight/observing.ts', simulating: 'extensions/simulation/index.ts' };
/** What programs can leave out of the core. Files beside the module that the core does not need are in the part, too. */
const OPTIONAL = {
  coroutines: 'extensions/async/index.ts',
  reports: 'extensions/reports/index.ts',
  spares: 'extensions/spares/index.ts',
  ...STALLS,
  ...CHANNELS,
  ...INSIGHT,
};
/** What `furcate/cluster`, an ordinary module, takes from behind the door of the core. */
export const FOR_CLUSTER = { clusterCore: 'cluster/library.ts' };
const CORE = { core: 'entry/core.ts' };
/** What many parts need comes first. */
const MODULES: Readonly<Record<Part, string>> = {
  ...CORE,
  ...PLATFORM,
  ...OPTIONAL,
  ...FOR_CLUSTER,
  ...ON_DEMAND,
  ...FAMILIES,
};
/** What users get of the core. */
const PUBLIC_CORE = join(SRC, 'core/index.ts');
/** What this many families need, or more, is in the part `algorithms`. */
const SHARED_BY = 4;

/** Defines `probeStep`, which is empty unless a variant gives it a body. */
const PROBE = 'src/core/probe.ts';

/**
 * Rolldown's options for parts and entries. Class fields are assigned, and the target is the oldest one with shared memory, so that a
 * user's bundler has nothing to lower with helpers.
 *
 * @param replaced modules of src that have another text, by path
 */
export const options = (
  version: string,
  changes: readonly Change[] = [],
  replaced: Readonly<Record<string, string>> = {},
): InputOptions & { plugins: Plugin[] } => ({
  cwd: ROOT,
  platform: 'neutral',
  tsconfig: false,
  treeshake: {
    moduleSideEffects: 'no-external', // parts without importers are not imported
    manualPureFunctions: changes.some(({ file }) => file === PROBE) ? [] : ['probeStep'], // nothing is left of the calls
  },
  external: /^(part:|tsx\/|furcate(\/|$)|node:|@nats-io\/|prom-client$)/,
  resolve: { extensionAlias: { '.js': ['.ts'] } },
  checks: { toleratedTransform: false }, // the preload module has a top-level await, which no target but its own allows
  transform: {
    target: 'es2020',
    assumptions: { setPublicClassFields: true },
    typescript: { removeClassFieldsWithoutInitializer: true },
    define: { __FURCATE_VERSION__: JSON.stringify(version) },
  },
  plugins: [
    {
      name: 'reading',
      load(id) {
        const path = relative(ROOT, id);
        const text =
          replaced[path] ?? changes.filter(({ file }) => file === path).reduce(changed, readFileSync(id, 'utf8'));
        return { code: withoutPrivateNames(throughDoor(text), id), moduleType: 'ts' };
      },
    },
  ],
});

const functionName = (part: Part): string => `furcate${capitalized(part)}`;

/** A module, or a part, and all that `next` leads to from it. */
function closure(from: string, next: (from: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set([from]);
  for (const one of found) for (const other of next(one)) found.add(other);
  return found;
}

/** The part that a file is in: one with all files that the same families need. So a bundle contains what its families need. */
function partOf(id: string, context: Pick<PluginContext, 'getModuleInfo'>): Part {
  const importers = closure(id, (one) => context.getModuleInfo(one)?.importers ?? []);
  const isNeededBy = (part: Part): boolean => importers.has(join(SRC, MODULES[part] as string));
  const [first, ...others] = Object.keys(PLATFORM).filter(isNeededBy);
  if (isNeededBy('core') || others.length > 0) return 'core';
  if (first !== undefined) return first;
  const optional = Object.entries(OPTIONAL).find(([, path]) => dirname(id) === dirname(join(SRC, path)));
  if (optional !== undefined) return optional[0];
  const [user, ...users] = Object.keys({ ...OPTIONAL, ...FOR_CLUSTER, ...ON_DEMAND, ...FAMILIES }).filter(isNeededBy);
  if (user !== undefined && user in OPTIONAL && users.length === 0) return user;
  const [family, ...more] = Object.keys({ ...FOR_CLUSTER, ...ON_DEMAND, ...FAMILIES }).filter(isNeededBy);
  return more.length + 1 >= SHARED_BY || family === undefined ? 'algorithms' : family + more.map(capitalized).join('');
}

/** Exports that only parts use have names of one or two letters, which get a `$`, so that `entry/core.ts` can tell them apart. */
const keyOf = (name: string): string => (name.length <= 2 ? `$${name}` : name);

/** Makes a part of a chunk: imports become constants, exports a `return`. */
function asFunction(code: string, part: Part): string {
  const constants: string[] = [];
  const exports: string[] = [];
  const body: string[] = [];
  for (const node of parseAst(code).body) {
    if (node.type === 'ImportDeclaration') {
      const names = node.specifiers.map((one) => {
        if (one.type !== 'ImportSpecifier' || one.imported.type !== 'Identifier')
          throw new Error(`the part '${part}' imports by ${one.type}`);
        return `${keyOf(one.imported.name)}: ${one.local.name}`;
      });
      constants.push(`const { ${names} } = furcateParts.${partOfFile(node.source.value)};`);
    } else if (node.type === 'ExportNamedDeclaration') {
      for (const { local, exported } of node.specifiers)
        exports.push(`${keyOf(code.slice(exported.start, exported.end))}: ${code.slice(local.start, local.end)}`);
    } else body.push(code.slice(node.start, node.end));
  }
  const parameter = part === 'core' ? 'library' : 'furcateParts';
  const statements = [...constants, ...body, `return { ${exports} };`].join('\n');
  return `export default function ${functionName(part)}(${parameter}) {${statements}}`;
}

/** Users' bundlers would otherwise look at the URLs that a host imports at run time, and warn. The minifier drops comments of the source. */
const withPlainImports = (code: string): string =>
  code.replace(/\bimport\((?=\w)/g, 'import(/* webpackIgnore: true *//* @vite-ignore */');

const partOfFile = (file: string): Part => basename(file, '.js');

/** The parts as they were made: what each of them needs, and what users import from it. */
export class Layout {
  readonly #chunks: ReadonlyMap<Part, OutputChunk>;
  /** The names that users import from the core. */
  readonly coreNames: readonly string[];

  constructor(chunks: readonly OutputChunk[], coreNames: readonly string[]) {
    this.#chunks = new Map(chunks.map((chunk) => [chunk.name, chunk]));
    this.coreNames = coreNames;
    for (const part of this.parts) this.#refuseCircle(part, []);
  }

  /** All parts but the kernels; families come last. */
  get parts(): readonly Part[] {
    const rank = (part: Part): number => Object.keys(FAMILIES).indexOf(part);
    return [...this.#chunks.keys()].sort((a, b) => rank(a) - rank(b));
  }

  #importsOf(part: Part): Part[] {
    return this.#chunks.get(part)?.imports.map(partOfFile) ?? [];
  }

  #refuseCircle(part: Part, above: readonly Part[]): void {
    if (above.includes(part)) throw new Error(`parts import each other: ${[...above, part].join(' -> ')}`);
    for (const below of this.#importsOf(part)) this.#refuseCircle(below, [...above, part]);
  }

  #reached(part: Part): OutputChunk[] {
    return [...closure(part, (one) => this.#importsOf(one))].flatMap((one) => this.#chunks.get(one) ?? []);
  }

  #filesOf(part: Part): string[] {
    return this.#reached(part).flatMap(({ moduleIds }) => moduleIds);
  }

  /** The names that users import from a family. */
  namesIn(family: Part): readonly string[] {
    return this.#chunks.get(family)?.exports.filter((name) => keyOf(name) === name) ?? [];
  }

  /** The parts that a family needs beside the core: with its kernels, and without itself. */
  needsOf(family: Part): readonly Part[] {
    const kernels = this.#filesOf(family).flatMap((path) => kernelPartsIn(readFileSync(path, 'utf8')));
    const needed = new Set([...kernels, ...this.#reached(family).map(({ name }) => name)]);
    for (const part of [family, 'core', ...Object.keys({ ...PLATFORM, ...OPTIONAL })]) needed.delete(part);
    if (family in FLOWS) needed.add('coroutines'); // their functions may be asynchronous
    if (family === 'pipeline') needed.add('reports'); // of the visits of `expand`
    return [...needed];
  }

  /** The parts that only calls of a family with plain values load. */
  forValuesOf(family: Part): readonly Part[] {
    if (!this.#filesOf(family).includes(VALUES_DOOR)) return [];
    const here = this.needsOf(family);
    return ['values', 'coroutines', ...this.needsOf('values')].filter((part) => !here.includes(part));
  }
}

/** Writes all parts, `core.js` and so on. */
export async function buildParts(
  outDir: string,
  base: ReturnType<typeof options>,
  kernels: Readonly<Record<KernelGroup, string>>,
): Promise<Layout> {
  let coreNames: readonly string[] = [];
  const making: Plugin = {
    name: 'parts',
    buildEnd() {
      coreNames = this.getModuleInfo(PUBLIC_CORE)?.exports ?? [];
    },
    renderChunk: (code, { name }) => asFunction(code, name),
    generateBundle(_, made) {
      for (const chunk of Object.values(made)) if (chunk.type === 'chunk') chunk.code = withPlainImports(chunk.code);
    },
  };
  const bundle = await rolldown({
    ...base,
    plugins: [...base.plugins, making],
    input: Object.fromEntries(Object.entries(MODULES).map(([part, path]) => [part, join(SRC, path)])),
    preserveEntrySignatures: 'allow-extension',
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
  });
  const { output } = await bundle.write({
    dir: outDir,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: false,
    charset: 'ascii', // Node reads parts as Latin-1
    minify: {
      compress: { target: 'es2020', keepNames: { function: true, class: true } },
      mangle: false, // stack traces show names
      codegen: { removeWhitespace: true },
    },
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf, debugName: 'parts' }] },
  });
  for (const group of KERNEL_GROUPS) {
    const part = partOfGroup(group);
    const text = `export default function ${functionName(part)}(){return{binary:'${kernels[group]}'}}\n`;
    writeFileSync(join(outDir, `${part}.js`), text);
  }
  return new Layout(output as OutputChunk[], coreNames);
}

/** What a source file imports of wasm-kernels.ts. */
const IMPORTED = /import \{([^}]*)\} from '[^']*wasm-kernels\.js'/;

/** The parts that hold the kernels of a source file: it imports `sortKernels` and the like to get at them. */
export function kernelPartsIn(text: string): string[] {
  const imported = IMPORTED.exec(text)?.[1] ?? '';
  return KERNEL_GROUPS.filter((group) => new RegExp(`\\b${group}Kernels\\b`).test(imported)).map(partOfGroup);
}
