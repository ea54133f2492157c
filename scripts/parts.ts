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
 * function takes the texts that a worker is started with: its own, and that of Node's host. Between parts, a part exports exactly the
 * names that higher parts import.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import { KERNEL_GROUPS, type KernelGroup, partOfGroup } from '../src/algorithms/kernels/wasm-groups.js';
import { withoutPrivateNames } from './private-names.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');

/**
 * The families. A family consists of the files in its folder, the core of the files that its entry reaches, `predicates` of the files
 * below, and `algorithms` of the rest.
 */
export const FAMILIES = ['filter', 'group', 'loops', 'reduce', 'scan', 'search', 'sort'] as const;
const CORE_ENTRY = join(SRC, 'entry/core.ts');
/** What only some families need: searches, filters, and sorts by a comparator. */
const PREDICATES = [
  'algorithms/patterns/',
  'algorithms/call/predicate.ts',
  'algorithms/kernels/predicate-kernel.ts',
  'algorithms/kernels/comparison-kernel.ts',
].map((path) => join(SRC, path));
const isOfPredicates = (path: string): boolean => PREDICATES.some((start) => path.startsWith(start));
const familyFolder = (family: string): string => join(SRC, 'algorithms', family);

/** Node's host is a part, so that bundles for browsers can leave it out. */
const NODE_HOST = 'nodeHost';
const NODE_HOST_ENTRY = join(SRC, 'core/platform/node.ts');

/** What asynchronous tasks need, so that programs without them can leave it out. */
const COROUTINES = 'coroutines';
const COROUTINES_ENTRY = join(SRC, 'core/async/index.ts');

/** All parts, from the lowest. A part may import from parts before it, but families do not import each other. */
export const PARTS: readonly string[] = [
  'core',
  NODE_HOST,
  COROUTINES,
  ...KERNEL_GROUPS.map(partOfGroup),
  'algorithms',
  'predicates',
  ...FAMILIES,
];
type Part = string;
const isFamily = (part: Part): boolean => (FAMILIES as readonly string[]).includes(part);

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
  const renamed = [...code.matchAll(/\bvar ([A-Za-z$][\w$]*) ?= ?class _\1\b/g)].map((match) => match[1] as string);
  return renamed.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w$.#])_${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'), () => name),
    code,
  );
}

const functionName = (part: Part): string => `furcate${(part[0] as string).toUpperCase()}${part.slice(1)}`;

class PartsBuild {
  readonly #options: BuildOptions;
  #coreFiles = new Set<string>();
  #coreNames = new Set<string>();
  /** For each part: the export keys of the names that other parts import, by the text `file name`. */
  readonly #wanted = new Map<Part, Map<string, string>>();

  constructor(base: BuildOptions) {
    this.#options = base;
  }

  async run(outDir: string): Promise<void> {
    await this.#findCore();
    // From the highest part down: the exports of a part are known once all higher parts are made.
    for (const part of [...PARTS].reverse().filter((part) => !part.startsWith('kernels'))) {
      const text = await this.#make(part);
      if (/[^\0-\x7f]/.test(text))
        throw new Error(`the part '${part}' has characters beyond ASCII, but is read as Latin-1`);
      writeFileSync(join(outDir, `${part}.js`), text);
    }
  }

  async #findCore(): Promise<void> {
    const { metafile } = await build({ ...this.#options, entryPoints: [CORE_ENTRY], metafile: true, outdir: SRC });
    this.#coreFiles = new Set(Object.keys(metafile.inputs).map((path) => join(process.cwd(), path)));
    for (const { exports } of Object.values(metafile.outputs)) this.#coreNames = new Set(exports);
    const strangers = [...this.#coreFiles].filter((path) => path.startsWith(join(SRC, 'algorithms')));
    if (strangers.length > 0) throw new Error(`the core imports ${strangers.join(', ')}`);
  }

  #partOf(path: string): Part {
    if (this.#coreFiles.has(path)) return 'core';
    if (dirname(path) === dirname(NODE_HOST_ENTRY)) return NODE_HOST;
    if (dirname(path) === dirname(COROUTINES_ENTRY)) return COROUTINES;
    if (isOfPredicates(path)) return 'predicates';
    return FAMILIES.find((family) => path.startsWith(`${familyFolder(family)}/`)) ?? 'algorithms';
  }

  /** The esbuild plugin that leaves imports from other parts in the output, for `#make` to replace. */
  #bordering(part: Part): Plugin {
    return {
      name: 'bordering',
      setup: ({ onResolve }) => {
        onResolve({ filter: /^\.\.?\// }, ({ importer, path: specifier, kind }) => {
          const path = sourceOf(importer, specifier);
          if (kind !== 'import-statement' || importer === '' || !existsSync(path)) return undefined;
          const target = this.#partOf(path);
          if (target === part) return undefined;
          if (PARTS.indexOf(target) > PARTS.indexOf(part) || (isFamily(target) && isFamily(part))) {
            throw new Error(`${relative(ROOT, importer)} in the part '${part}' imports from the part '${target}'`);
          }
          return { path: `part:${target}/${relative(SRC, path)}`, external: true };
        });
      },
    };
  }

  /** The key under which a part exports a name from one of its files. */
  #keyOf(part: Part, file: string, name: string): string {
    let keys = this.#wanted.get(part);
    if (keys === undefined) {
      keys = new Map();
      this.#wanted.set(part, keys);
    }
    const wanted = `${file} ${name}`;
    let key = keys.get(wanted);
    if (key === undefined) {
      const taken = new Set([...keys.values(), ...(part === 'core' ? this.#coreNames : [])]);
      key = name;
      for (let i = 2; taken.has(key); i++) key = `${name}${i}`;
      keys.set(wanted, key);
    }
    return key;
  }

  #entryOf(part: Part): BuildOptions {
    if (part === NODE_HOST) return { entryPoints: [NODE_HOST_ENTRY] };
    if (part === COROUTINES) return { entryPoints: [COROUTINES_ENTRY] };
    if (isFamily(part)) return { entryPoints: [join(familyFolder(part), 'index.ts')] };
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
    const made = await build({ ...this.#options, ...this.#entryOf(part), plugins, minifyWhitespace: true });
    const bundled = restoreClassNames((made.outputFiles as OutputFile[])[0].text.trimEnd());
    const imports = new Map<string, string[]>();
    const body = bundled
      .replace(CROSSING, (_, list: string | undefined, from: Part, file: string) => {
        const names = namesIn(list ?? '').map(([name, alias]) => `${this.#keyOf(from, file, name)}:${alias}`);
        imports.set(from, [...(imports.get(from) ?? []), ...names]);
        return '';
      })
      .replace(EXPORTS, (_, list: string) => {
        const pairs = namesIn(list).map(([name, alias]) => (name === alias ? name : `${alias}:${name}`));
        return `return{${pairs.join(',')}};`;
      });
    const constants = [...imports]
      .filter(([, names]) => names.length > 0)
      .map(([from, names]) => `const{${names.join(',')}}=furcateParts.${from};`);
    const parameter = part === 'core' ? 'library' : 'furcateParts';
    const text = `function ${functionName(part)}(${parameter}){${constants.join('')}${body}}`;
    new Script(`(${text})`, { filename: `${part}.js` }); // throws if an import or export is left, which a function cannot contain
    return `export default ${text}\n`;
  }
}

/** Writes all parts, `core.js` and so on. */
export async function buildParts(
  outDir: string,
  base: BuildOptions,
  kernels: Readonly<Record<KernelGroup, string>>,
): Promise<void> {
  for (const [group, hex] of Object.entries(kernels)) {
    const part = partOfGroup(group as KernelGroup);
    writeFileSync(
      join(outDir, `${part}.js`),
      `export default function ${functionName(part)}(){return{binary:'${hex}'}}\n`,
    );
  }
  await new PartsBuild(base).run(outDir);
}

/** What a source file imports of wasm-kernels.ts. */
const IMPORTED = /import \{([^}]*)\} from '[^']*wasm-kernels\.js'/;

/** The parts that hold the kernels of a source file: it imports `sortKernels` and the like to get at them. */
export function kernelPartsIn(text: string): string[] {
  const imported = IMPORTED.exec(text)?.[1] ?? '';
  return KERNEL_GROUPS.filter((group) => new RegExp(`\\b${group}Kernels\\b`).test(imported)).map(partOfGroup);
}

/** For each family, the parts that it can reach and not every family needs: they are published and bundled with it. */
async function needsOfFamilies(base: BuildOptions): Promise<Map<string, Set<string>>> {
  const { metafile } = await build({
    ...base,
    entryPoints: FAMILIES.map((family) => join(familyFolder(family), 'index.ts')),
    metafile: true,
    outdir: join(ROOT, '.build/families'),
  });
  return new Map(
    Object.values(metafile.outputs).map(({ entryPoint = '', inputs }) => {
      const paths = Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0);
      const needs = new Set(paths.flatMap((path) => kernelPartsIn(readFileSync(path, 'utf8'))));
      if (paths.some((path) => isOfPredicates(resolve(path)))) needs.add('predicates');
      return [entryPoint.split('/').at(-2) as string, needs];
    }),
  );
}

/**
 * The module that replaces src/entry/parts.ts in entries.
 *
 * @param make what makes a part known: `partFile`, or `partInBundle`, which is given the part's function
 */
export async function partsModule(make: 'partFile' | 'partInBundle', base: BuildOptions): Promise<string> {
  const needs = await needsOfFamilies(base);
  const isBundle = make === 'partInBundle';
  const source = (part: Part): string => `/* @__PURE__ */ ${make}('${part}'${isBundle ? `, make_${part}` : ''})`;
  return [
    `import { ${make} } from './part-${isBundle ? 'in-bundle' : 'file'}.js';`,
    ...PARTS.flatMap((part) => (isBundle ? [`import make_${part} from 'part:${part}';`] : [])),
    ...PARTS.map((part) =>
      isFamily(part)
        ? `export const ${part} = { source: ${source(part)}, needs: { ${[...(needs.get(part) ?? [])].join(', ')} } };`
        : `export const ${part} = ${source(part)};`,
    ),
  ].join('\n');
}
