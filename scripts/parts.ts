/**
 * Makes the parts of the library from its sources. A part is a module that exports one function, which contains the whole part.
 *
 * ```
 * export default function furcateSort(furcateParts) {
 *   const { fork, join } = furcateParts.core;            imports from other parts are constants of the function
 *   ...
 *   return { parallelSort, parallelSortSync };           the exports
 * }
 * ```
 *
 * Node runs the file as a script, and bundlers import it as a module. Workers of a bundle get the function's `toString()`. The core's
 * function takes the texts that a worker is started with: its own, and that of Node's host. Between parts, a part exports exactly what
 * higher parts import, under short keys.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { KERNEL_GROUPS, type KernelGroup, partOfGroup } from '../src/algorithms/kernels/wasm-groups.js';
import { withoutPrivateNames } from './private-names.js';
import { renamed } from './rename.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');

/** The families, each with the module that has its public functions; relative to src/algorithms. */
export const FAMILIES = {
  elements: 'loops/elements.ts',
  fill: 'loops/fill.ts',
  filter: 'filter/filter.ts',
  group: 'group/index.ts',
  invoke: 'loops/invoke.ts',
  loops: 'loops/for.ts',
  minMax: 'reduce/min-max.ts',
  reduce: 'reduce/reduce.ts',
  scan: 'scan/scan.ts',
  search: 'search/index.ts',
  sort: 'sort/index.ts',
} as const;
/** What families load only when a call needs it, each with its module. It shares code with families as they do. */
const ON_DEMAND = { values: 'values/index.ts' } as const;
/** A family that contains this file loads `values` on demand, and then asynchronous tasks. */
const VALUES_DOOR = 'algorithms/call/plain-values.ts';
type Family = keyof typeof FAMILIES | keyof typeof ON_DEMAND;
const ENTRIES: Readonly<Record<Family, string>> = { ...FAMILIES, ...ON_DEMAND };
const FAMILY_NAMES = Object.keys({ ...ON_DEMAND, ...FAMILIES }) as Family[];
const entryOfFamily = (family: Family): string => join(SRC, 'algorithms', ENTRIES[family]);

/** What this many families need, or more, is in the part `algorithms`. */
const SHARED_BY = 4;

const CORE_ENTRY = join(SRC, 'entry/core.ts');
/**
 * What programs can leave out of the core, each with its module, relative to src: Node's host, and what asynchronous tasks, reports and
 * blocking sections need. Files beside the module that the core does not need are in the part, too.
 */
const OPTIONAL = {
  nodeHost: 'core/platform/node.ts',
  coroutines: 'core/async/index.ts',
  reports: 'core/reports/index.ts',
  spares: 'core/spares/index.ts',
} as const;
type Optional = keyof typeof OPTIONAL;
const OPTIONAL_NAMES = Object.keys(OPTIONAL) as Optional[];
const entryOfOptional = (part: Optional): string => join(SRC, OPTIONAL[part]);
/** Constants, and functions without state: each part has a copy of those that it uses. */
const COPIED = ['algorithms/tuning.ts', 'core/tuning.ts', 'core/memory/layout.ts', 'core/memory/records.ts'].map(
  (path) => join(SRC, path),
);

type Part = string;

/** A change of one source file, for a variant. `find` must occur exactly once. */
export interface Change {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

function changed(path: string, text: string, changes: readonly Change[]): string {
  return changes
    .filter(({ file }) => path === join(ROOT, file))
    .reduce((before, { file, find, replace }) => {
      const count = before.split(find).length - 1;
      if (count !== 1) throw new Error(`${file} contains '${find}' ${count} times; it must contain it once`);
      return before.replace(find, () => replace);
    }, text);
}

/** The esbuild plugin that reads the sources: it applies changes and renames private names. */
const reading = (changes: readonly Change[]): Plugin => ({
  name: 'reading',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      return { contents: withoutPrivateNames(changed(path, text, changes), path), loader: 'ts' };
    });
  },
});

/**
 * The esbuild options of all parts and entries. Class fields are assigned, and the target is the oldest one with shared memory, so that
 * a user's bundler has nothing to lower with helpers. Names are not minified, because stack traces show them. `keepNames` is off,
 * because it calls a helper at every closure.
 */
export const options = (version: string, changes: readonly Change[] = []): BuildOptions => ({
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'neutral',
  target: 'es2020',
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true } },
  legalComments: 'none',
  logLevel: 'error',
  plugins: [reading(changes)],
  define: { __FURCATE_VERSION__: JSON.stringify(version) },
});

const sourceOf = (importer: string, specifier: string): string =>
  join(dirname(importer), specifier).replace(/\.js$/, '.ts');

/** An import from another part in esbuild's output: the names, the part, and the file in it. */
const CROSSING = /import\s*(?:\{([^}]*)\}\s*from\s*)?"part:(\w+)\/([^"]+)";?\n?/g;
/** The exports, which are last in esbuild's output. */
const EXPORTS = /export\s*\{([^}]*)\};?\s*$/;

const namesIn = (list: string): [name: string, alias: string][] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(/\s+as\s+/) as [string, string?])
    .map(([name, alias = name]) => [name, alias]);

/**
 * Restores class names. If a class refers to itself, esbuild turns `class A` into `var A = class _A`, and errors and stack traces would
 * show `_A`. The inner name can equal the outer one, because both mean the class.
 */
export function restoreClassNames(code: string): string {
  const classes = [...code.matchAll(/\bvar ([A-Za-z$][\w$]*) ?= ?class _\1\b/g)].map((match) => match[1] as string);
  return renamed(code, new Map(classes.map((name) => [`_${name}`, name])));
}

/** The import of a name by one file of a part. esbuild numbers imports of one name by several files: `load`, `load2`, `load3`. */
interface Import {
  readonly from: Part;
  readonly key: string;
  readonly alias: string;
}

const isSame = (a: Import, b: Import): boolean =>
  a.from === b.from && a.key === b.key && a.alias.replace(/\d+$/, '') === b.alias.replace(/\d+$/, '');

const functionName = (part: Part): string => `furcate${capitalized(part)}`;

const capitalized = (name: string): string => `${(name[0] as string).toUpperCase()}${name.slice(1)}`;

/** The part of what these families need and no other family does: `reduceScan` for reduce and scan. */
const partOfFamilies = ([first, ...more]: readonly string[]): Part =>
  more.length + 1 >= SHARED_BY || first === undefined ? 'algorithms' : first + more.map(capitalized).join('');

/**
 * Which file is in which part. The core consists of the files that its entry reaches. Any other file is in one part with all files
 * that the same families need. So a bundle contains what its families need, and little else.
 */
export class Layout {
  readonly #coreFiles: ReadonlySet<string>;
  /** For each file of the algorithms, the families that need it. */
  readonly #families = new Map<string, Family[]>();
  /** For each family, the parts that it needs: with its kernels, and without itself. */
  readonly #needs = new Map<Family, ReadonlySet<Part>>();

  private constructor(coreFiles: ReadonlySet<string>) {
    this.#coreFiles = coreFiles;
    const strangers = [...coreFiles].filter((path) => path.startsWith(join(SRC, 'algorithms')));
    if (strangers.length > 0) throw new Error(`the core imports ${strangers.join(', ')}`);
  }

  static async of(base: BuildOptions): Promise<Layout> {
    const layout = new Layout((await reached(base, CORE_ENTRY)).files);
    const files = new Map<Family, ReadonlySet<string>>();
    for (const family of FAMILY_NAMES) files.set(family, (await reached(base, entryOfFamily(family))).needed);
    for (const [family, paths] of files)
      for (const path of paths) layout.#families.set(path, [...(layout.#families.get(path) ?? []), family]);
    for (const [family, paths] of files) {
      const kernels = [...paths].flatMap((path) => kernelPartsIn(readFileSync(path, 'utf8')));
      const shared = [...paths].map((path) => layout.partOf(path));
      const needed = new Set([...kernels, ...shared]);
      for (const part of [family, 'core', ...OPTIONAL_NAMES]) needed.delete(part);
      layout.#needs.set(family, needed);
    }
    return layout;
  }

  partOf(path: string): Part {
    if (this.#coreFiles.has(path)) return 'core';
    const optional = OPTIONAL_NAMES.find((part) => dirname(path) === dirname(entryOfOptional(part)));
    return optional ?? partOfFamilies(this.#families.get(path) ?? []);
  }

  needsOf(family: Family): readonly Part[] {
    return [...(this.#needs.get(family) as ReadonlySet<Part>)];
  }

  /** The parts that only calls of a family with plain values load. */
  forValuesOf(family: Family): readonly Part[] {
    const isDoor = this.#families.get(join(SRC, VALUES_DOOR))?.includes(family) === true;
    const here = this.needsOf(family);
    return isDoor ? ['values', 'coroutines', ...this.needsOf('values')].filter((part) => !here.includes(part)) : [];
  }

  /** All parts but the kernels, from the lowest: what many families need cannot import what few of them need. */
  get parts(): readonly Part[] {
    const shared = [...this.#families.values()].sort((a, b) => b.length - a.length).map(partOfFamilies);
    return [...new Set(['core', ...OPTIONAL_NAMES, ...shared, ...FAMILY_NAMES])];
  }
}

/** The files that a module imports, directly or not, and those of them whose code it needs. */
async function reached(base: BuildOptions, entry: string): Promise<Record<'files' | 'needed', ReadonlySet<string>>> {
  const { metafile } = await build({ ...base, entryPoints: [entry], metafile: true, outdir: SRC });
  const [{ inputs }] = Object.values(metafile.outputs) as [Metafile['outputs'][string]];
  const files = Object.keys(metafile.inputs);
  const needed = files.filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0);
  const absolute = (paths: string[]): Set<string> => new Set(paths.map((path) => resolve(path)));
  return { files: absolute(files), needed: absolute(needed) };
}

class PartsBuild {
  readonly #options: BuildOptions;
  readonly #layout: Layout;
  /** For each part: the export keys of the names that other parts import, by the text `file name`. */
  readonly #wanted = new Map<Part, Map<string, string>>();

  constructor(base: BuildOptions, layout: Layout) {
    this.#options = base;
    this.#layout = layout;
  }

  async run(outDir: string): Promise<void> {
    // From the highest part down: the exports of a part are known once all higher parts are made.
    for (const part of [...this.#layout.parts].reverse()) {
      const text = await this.#make(part);
      if (/[^\0-\x7f]/.test(text))
        throw new Error(`the part '${part}' has characters beyond ASCII, but is read as Latin-1`);
      writeFileSync(join(outDir, `${part}.js`), text);
    }
  }

  /** The esbuild plugin that leaves imports from other parts in the output, for `#make` to replace. */
  #bordering(part: Part): Plugin {
    return {
      name: 'bordering',
      setup: ({ onResolve }) => {
        onResolve({ filter: /^\.\.?\// }, ({ importer, path: specifier, kind }) => {
          const path = sourceOf(importer, specifier);
          if (kind !== 'import-statement' || importer === '' || !existsSync(path)) return undefined;
          const target = this.#layout.partOf(path);
          if (target === part || COPIED.includes(path)) return undefined;
          return { path: `part:${target}/${relative(SRC, path)}`, external: true };
        });
      },
    };
  }

  /** The key under which a part exports a name from one of its files. It is short, because bundlers keep names of properties. */
  #keyOf(part: Part, file: string, name: string): string {
    let keys = this.#wanted.get(part);
    if (keys === undefined) {
      keys = new Map();
      this.#wanted.set(part, keys);
    }
    const wanted = `${file} ${name}`;
    const key = keys.get(wanted) ?? `$${keys.size.toString(36)}`;
    keys.set(wanted, key);
    return key;
  }

  #entryOf(part: Part): BuildOptions {
    if (part in OPTIONAL) return { entryPoints: [entryOfOptional(part as Optional)] };
    if (part in ENTRIES) return { entryPoints: [entryOfFamily(part as Family)] };
    const lines = [...(this.#wanted.get(part) ?? [])].map(([wanted, key]) => {
      const [file, name] = wanted.split(' ') as [string, string];
      return `export { ${name} as ${key} } from './${file}';`;
    });
    if (part === 'core') lines.push("export * from './entry/core.ts';");
    return {
      stdin: { contents: lines.join('\n'), resolveDir: SRC, loader: 'ts', sourcefile: join(SRC, `${part}.ts`) },
    };
  }

  async #make(part: Part): Promise<string> {
    const plugins = [this.#bordering(part), ...(this.#options.plugins ?? [])];
    const made = await build({
      ...this.#options,
      ...this.#entryOf(part),
      plugins,
      minifyWhitespace: true,
      minifySyntax: true,
    });
    const bundled = restoreClassNames((made.outputFiles as OutputFile[])[0].text.trimEnd());
    const imports: Import[] = [];
    const body = bundled
      .replace(CROSSING, (_, list: string | undefined, from: Part, file: string) => {
        for (const [name, alias] of namesIn(list ?? ''))
          imports.push({ from, key: this.#keyOf(from, file, name), alias });
        return '';
      })
      .replace(EXPORTS, (_, list: string) => {
        const pairs = namesIn(list).map(([name, alias]) => (name === alias ? name : `${alias}:${name}`));
        return `return{${pairs.join(',')}};`;
      });
    const firstOf = (one: Import): Import => imports.find((other) => isSame(one, other)) as Import;
    const code = renamed(body, new Map(imports.map((one) => [one.alias, firstOf(one).alias])));
    const constants = [...new Set(imports.map(({ from }) => from))].map((from) => {
      const names = imports.filter((one) => one.from === from && firstOf(one) === one);
      return `const{${names.map(({ key, alias }) => `${key}:${alias}`).join(',')}}=furcateParts.${from};`;
    });
    const parameter = part === 'core' ? 'library' : 'furcateParts';
    const text = `function ${functionName(part)}(${parameter}){${constants.join('')}${code}}`;
    new Script(`(${text})`, { filename: `${part}.js` }); // throws if an import or export is left, which a function cannot contain
    return `export default ${text}\n`;
  }
}

/** Writes all parts, `core.js` and so on. */
export async function buildParts(
  outDir: string,
  base: BuildOptions,
  layout: Layout,
  kernels: Readonly<Record<KernelGroup, string>>,
): Promise<void> {
  for (const [group, hex] of Object.entries(kernels)) {
    const part = partOfGroup(group as KernelGroup);
    writeFileSync(
      join(outDir, `${part}.js`),
      `export default function ${functionName(part)}(){return{binary:'${hex}'}}\n`,
    );
  }
  await new PartsBuild(base, layout).run(outDir);
  writeFileSync(join(outDir, `${VALUES_MODULE}.js`), valuesModule(layout, outDir));
}

/** What a source file imports of wasm-kernels.ts. */
const IMPORTED = /import \{([^}]*)\} from '[^']*wasm-kernels\.js'/;

/** The parts that hold the kernels of a source file: it imports `sortKernels` and the like to get at them. */
export function kernelPartsIn(text: string): string[] {
  const imported = IMPORTED.exec(text)?.[1] ?? '';
  return KERNEL_GROUPS.filter((group) => new RegExp(`\\b${group}Kernels\\b`).test(imported)).map(partOfGroup);
}

/**
 * The module that replaces src/entry/parts.ts in entries.
 *
 * @param make what makes a part known: `partFile`, or `partInBundle`, which is given the part's function
 */
export function partsModule(make: 'partFile' | 'partInBundle', layout: Layout): string {
  const isBundle = make === 'partInBundle';
  const parts = [...KERNEL_GROUPS.map(partOfGroup), ...layout.parts].filter((part) => !(isBundle && part in ON_DEMAND));
  const source = (part: Part): string => `/* @__PURE__ */ ${make}('${part}'${isBundle ? `, make_${part}` : ''})`;
  return [
    `import { ${make} } from './part-${isBundle ? 'in-bundle' : 'file'}.js';`,
    ...(isBundle ? parts.map((part) => `import make_${part} from 'part:${part}';`) : []),
    ...parts.map((part) =>
      part in FAMILIES
        ? `export const ${part} = { source: ${source(part)}, needs: { ${layout.needsOf(part as Family).join(', ')} }, ${forValues(part as Family)} };`
        : `export const ${part} = ${source(part)};`,
    ),
  ].join('\n');

  function forValues(family: Family): string {
    const needed = layout.forValuesOf(family);
    if (needed.length === 0) return '';
    if (!isBundle) return `forValues: () => ({ ${needed.join(', ')} })`;
    const made = needed.map((part) => `${part}: partInBundle('${part}', made.${part})`);
    return `forValues: async () => { const made = await import('part:${VALUES_MODULE}'); return { ${made.join(', ')} }; }`;
  }
}

/**
 * The module through which bundles get the parts for plain values, as a file of its own where they can split. It has a copy of what other
 * programs need, too: if the two shared a file, esbuild would load that file at the start of every program.
 */
const VALUES_MODULE = 'forValues';

function valuesModule(layout: Layout, outDir: string): string {
  const parts = new Set(FAMILY_NAMES.flatMap((family) => layout.forValuesOf(family)));
  return [...parts]
    .map((part) =>
      part in ON_DEMAND
        ? `export { default as ${part} } from './${part}.js';\n`
        : readFileSync(join(outDir, `${part}.js`), 'utf8').replace('export default', `export const ${part} =`),
    )
    .join('');
}
