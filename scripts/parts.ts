/**
 * Makes the parts of the library from its sources: for each a module that exports one function, in which all of the part is.
 *
 * ```
 * export default function furcateSort(furcateParts) {
 *   const { fork, join } = furcateParts.core;            imports from other parts: constants of the function
 *   ...
 *   return { parallelSort, parallelSortSync };           what it exports
 * }
 * ```
 *
 * Node reads the file as a script, a bundler takes it as a module, and `toString()` of the function is what workers of a bundle
 * get. The core takes one argument, its own text. What a part exports for those above is what they import.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import { groupOf, KERNEL_GROUPS, type KernelGroup, partOfGroup } from '../src/algorithms/kernels/wasm-groups.js';
import { withoutPrivateNames } from './private-names.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');

/** The core is what its entry reaches; a family is what its folder holds; what is left of the library is `algorithms`. */
export const FAMILIES = ['filter', 'group', 'loops', 'reduce', 'scan', 'search', 'sort'] as const;
const CORE_ENTRY = join(SRC, 'entry/core.ts');
const familyFolder = (family: string): string => join(SRC, 'algorithms', family);

/** All parts, from the lowest; a part imports from those before it, but families not from each other. */
export const PARTS: readonly string[] = ['core', ...KERNEL_GROUPS.map(partOfGroup), 'algorithms', ...FAMILIES];
type Part = string;
const isFamily = (part: Part): boolean => (FAMILIES as readonly string[]).includes(part);

/** A change of one source file, for a variant: `find` must be there, once. */
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
      if (count !== 1) throw new Error(`${file} holds '${find}' ${count} times, not once`);
      return before.replace(find, () => replace);
    }, text);
}

/** How esbuild reads each source. */
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
 * Class fields are assigned, and nothing is newer than the oldest that runs shared memory: a consumer's target finds nothing to
 * give helpers to. No minifying of names, which stacks show, and no `keepNames`, which runs a helper at every closure.
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

/** An import from another part, as esbuild leaves it: the part, the file in it, and the names. */
const CROSSING = /import\s*(?:\{([^}]*)\}\s*from\s*)?"part:(\w+)\/([^"]+)";?\n?/g;
/** The exports, which esbuild puts last. */
const EXPORTS = /export\s*\{([^}]*)\};?\s*$/;

const namesIn = (list: string): [name: string, alias: string][] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(/\s+as\s+/) as [string, string?])
    .map(([name, alias = name]) => [name, alias]);

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

const functionName = (part: Part): string => `furcate${(part[0] as string).toUpperCase()}${part.slice(1)}`;

class PartsBuild {
  readonly #options: BuildOptions;
  #coreFiles = new Set<string>();
  #coreNames = new Set<string>();
  /** By part: the key of each name that other parts import, by `file name`. */
  readonly #wanted = new Map<Part, Map<string, string>>();

  constructor(base: BuildOptions) {
    this.#options = base;
  }

  async run(outDir: string): Promise<void> {
    await this.#findCore();
    // From the top: what a part has to export is known when those above it are made.
    for (const part of [...PARTS].reverse().filter((part) => !part.startsWith('kernels'))) {
      const text = await this.#make(part);
      if (/[^\0-\x7f]/.test(text)) throw new Error(`the part '${part}' is read as Latin-1, and holds other letters`);
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
    return FAMILIES.find((family) => path.startsWith(`${familyFolder(family)}/`)) ?? 'algorithms';
  }

  /** Leaves imports from other parts to `#cross`. */
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
            throw new Error(`${relative(ROOT, importer)} of the part '${part}' imports from the part '${target}'`);
          }
          return { path: `part:${target}/${relative(SRC, path)}`, external: true };
        });
      },
    };
  }

  /** The key under which a part exports a name of one of its files. */
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
    new Script(`(${text})`, { filename: `${part}.js` }); // an import or export that is left is no syntax of functions
    return `export default ${text}\n`;
  }
}

/** Makes all parts, `core.js` and so on. */
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

/** How the algorithms read a kernel: `all.copy`, or a name that begins so, as in "all[`merge${suffix}`]". */
const KERNEL = /(?:\ball|kernels\(\)(?: as KernelExports\))?\??)(?:\.(\w+)|\[`(\w+)\$\{)/g;

/** The parts that hold the kernels of a source file. */
export function kernelPartsIn(text: string, path: string): string[] {
  if (!/import \{[^}]*\bkernels\b[^}]*\} from '[^']*wasm-kernels\.js'/.test(text)) return [];
  const names = [...text.matchAll(KERNEL)].map(([, name, beginning]) => (name ?? beginning) as string);
  if (names.length === 0 && /kernels\(\)(?! !== undefined)/.test(text)) {
    throw new Error(`${path} reads kernels in a way that the build does not see; write them as in the other files`);
  }
  return names.map((name) => partOfGroup(groupOf(name)));
}

/** For each family, the parts that hold the kernels of what it can reach: they are published and bundled with it. */
async function kernelPartsOfFamilies(base: BuildOptions): Promise<Map<string, Set<string>>> {
  const { metafile } = await build({
    ...base,
    entryPoints: FAMILIES.map((family) => join(familyFolder(family), 'index.ts')),
    metafile: true,
    outdir: join(ROOT, '.build/families'),
  });
  return new Map(
    Object.values(metafile.outputs).map(({ entryPoint = '', inputs }) => {
      const files = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
      return [
        entryPoint.split('/').at(-2) as string,
        new Set(files.flatMap(([path]) => kernelPartsIn(readFileSync(path, 'utf8'), path))),
      ];
    }),
  );
}

/**
 * The module that entries have in the place of src/entry/parts.ts.
 *
 * @param make what makes a part known: `partFile`, or `partInBundle`, which is given the part's function
 */
export async function partsModule(make: 'partFile' | 'partInBundle', base: BuildOptions): Promise<string> {
  const kernels = await kernelPartsOfFamilies(base);
  const isBundle = make === 'partInBundle';
  const source = (part: Part): string => `/* @__PURE__ */ ${make}('${part}'${isBundle ? `, make_${part}` : ''})`;
  return [
    `import { ${make} } from './part-${isBundle ? 'in-bundle' : 'file'}.js';`,
    ...PARTS.flatMap((part) => (isBundle ? [`import make_${part} from 'part:${part}';`] : [])),
    ...PARTS.map((part) =>
      isFamily(part)
        ? `export const ${part} = { source: ${source(part)}, kernels: { ${[...(kernels.get(part) ?? [])].join(', ')} } };`
        : `export const ${part} = ${source(part)};`,
    ),
  ].join('\n');
}
