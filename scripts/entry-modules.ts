/** The texts of the modules through which the entries of the package find the parts (parts.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KERNEL_GROUPS, partOfGroup } from '../src/algorithms/kernels/wasm-groups.js';
import { ALGORITHMS, FAMILIES, FLOWS, FOR_CLUSTER, HOSTS, INSIGHT, type Layout, PLATFORM } from './parts.js';

/** How an entry has the parts: as files beside it, which an ES module or a CommonJS script reads, or as modules that it imports. */
export type How = 'moduleFiles' | 'scriptFiles' | 'modules';

/** Stands in the texts of this file for `require`, which Rolldown would look at; build.ts puts `require` in its place. */
export const REQUIRE = 'FURCATE_REQUIRE';

/** Where a part is, as an expression. Tracers of files and bundlers know these forms (src/entry/part-file.ts), and need the name in each. */
const SOURCES: Readonly<Record<How, (part: string) => string>> = {
  moduleFiles: (part) =>
    `partFile('${part}', () => pathOf(new URL('./${part}.js', import.meta.url)), () => ${REQUIRE}('./${part}.js'))`,
  scriptFiles: (part) => `partFile('${part}', () => __dirname + '/${part}.js', () => ${REQUIRE}('./${part}.js'))`,
  modules: (part) => `partInBundle('${part}', make_${part})`,
};

/** Parts that a bundle gets when it needs them, in a file of their own where it can split. */
const LATER: readonly string[] = ['values', 'stalls', 'channels'];

/** What users name of the core, and the parts that it needs then. */
const NEEDING: Readonly<Record<string, string>> = {
  AsyncTask: 'coroutines, reports', // a scope can report
  asyncForkable: 'coroutines, reports',
  report: 'reports',
  carried: 'reports',
};

/** The exports of families, each of which loads its part. */
const functionsOf = (families: Readonly<Record<string, string>>, layout: Layout): string[] =>
  Object.keys(families).flatMap((family) => [
    `const ${family}Functions = /* @__PURE__ */ family('${family}', parts.${family});`,
    ...layout.namesIn(family).map((name) => `export const ${name} = /* @__PURE__ */ ${family}Functions('${name}');`),
  ]);

/** What users name of the core, and the parts that it may get then. */
const GETTING: Readonly<Record<string, readonly string[]>> = { ForkJoinPool: ['stalls', 'observing', 'channels'] };
/** Pages get the first with `furcate/insight` only, since they have no files; and there is nobody to listen to the other. */
const NOT_ON_PAGES: readonly string[] = ['observing', 'channels'];

function coreExport(name: string): string {
  if (name in NEEDING) return `/* @__PURE__ */ needing('${name}', { ${NEEDING[name]} })`;
  const got = GETTING[name]?.map((part) => `${part}: get_${part}`);
  if (got !== undefined) return `/* @__PURE__ */ getting('${name}', { ${got.join(', ')} })`;
  return `runtime.core.${name}`;
}

/** What users import from `furcate`, in place of src/index.ts. */
export function indexModule(layout: Layout): string {
  return [
    `import { family, getting, needing } from './entry/named.js';`,
    `import * as parts from './entry/parts.js';`,
    `import { coroutines, get_channels, get_observing, get_stalls, reports, spares } from './entry/parts.js';`,
    `import { runtime } from './entry/runtime.js';`,
    ...layout.coreNames.map((name) => `export const ${name} = ${coreExport(name)};`),
    `const blockingSections = /* @__PURE__ */ family('spares', { source: spares, needs: {} });`,
    `export const blocking = /* @__PURE__ */ blockingSections('blocking');`,
    ...functionsOf(ALGORITHMS, layout),
  ].join('\n');
}

/** What users import from `furcate/flows`, in place of src/flows/index.ts. */
export const flowsModule = (layout: Layout): string =>
  [
    `import { family } from '../entry/named.js';`,
    `import * as parts from '../entry/parts.js';`,
    ...functionsOf(FLOWS, layout),
  ].join('\n');

/** What users import from `furcate/insight`, in place of src/insight/index.ts. Its parts are evaluated at once: `charge` travels in contexts. Bundlers leave out what a program does not name. */
export const insightModule = (layout: Layout): string =>
  [
    `import { exportOf } from '../entry/named.js';`,
    `import * as parts from '../entry/parts.js';`,
    ...Object.keys(INSIGHT).flatMap((part) => [
      ...layout
        .namesIn(part)
        .map((name) => `export const ${name} = /* @__PURE__ */ exportOf('${part}', parts.${part}, '${name}');`),
    ]),
  ].join('\n');

/** What `furcate/cluster` takes from behind the door of the core, in place of src/cluster/library.ts. */
export const clusterLibraryModule = (layout: Layout): string =>
  [
    `import { family } from '../entry/named.js';`,
    `import * as parts from '../entry/parts.js';`,
    `import { ${layout.needsOf('clusterCore')} } from '../entry/parts.js';`,
    `const needs = { ${layout.needsOf('clusterCore')} };`,
    `const behindTheDoor = family('clusterCore', { source: parts.clusterCore, needs });`,
    ...layout.namesIn('clusterCore').map((name) => `export const ${name} = behindTheDoor('${name}');`),
  ].join('\n');

/** Where the parts are, in place of src/entry/parts.ts. */
/**
 * @param hosts that the entry has
 * @param isWhole whether a bundle has all parts from the start
 */
export function partsModule(how: How, layout: Layout, hosts: readonly string[], { isWhole = false } = {}): string {
  const isBundle = how === 'modules';
  const splits = isBundle && !isWhole;
  const parts = [...KERNEL_GROUPS.map(partOfGroup), ...layout.parts].filter(
    (part) =>
      !(splits && LATER.includes(part)) &&
      !(isBundle && part in FOR_CLUSTER) &&
      (!(part in HOSTS) || hosts.includes(part)),
  );
  const source = (part: string): string => `/* @__PURE__ */ ${SOURCES[how](part)}`;
  return [
    isBundle
      ? `import { partInBundle } from './part-in-bundle.js';`
      : `import { partFile, pathOf } from './part-file.js';`,
    ...(isBundle ? parts.map((part) => `import make_${part} from 'part:${part}';`) : []),
    ...parts.map((part) =>
      part in FAMILIES
        ? `export const ${part} = { source: ${source(part)}, needs: { ${layout.needsOf(part)} }, ${forValues(part)} };`
        : `export const ${part} = ${source(part)};`,
    ),
    ...Object.values(GETTING)
      .flat()
      .map((part) => `export const get_${part} = ${getting(part)};`),
    `export const hosts = [${hosts}];`,
    ...(isWhole ? all() : []),
  ].join('\n');

  function all(): string[] {
    const families = parts.filter((part) => part in FAMILIES);
    const others = parts.filter((part) => part !== 'core' && !(part in PLATFORM) && !families.includes(part));
    return [
      'export const all = [',
      ...others.map((part) => `['${part}', ${part}, []],`),
      ...families.map((part) => `['${part}', ${part}.source, ${JSON.stringify(layout.needsOf(part))}],`),
      '];',
    ];
  }

  function getting(part: string): string {
    if (NOT_ON_PAGES.includes(part) && !hosts.includes('nodeHost')) return 'undefined';
    if (!splits) return `() => ${part}`;
    return `async () => partInBundle('${part}', (await import('part:${part}')).default)`;
  }

  function forValues(family: string): string {
    const needed = layout.forValuesOf(family);
    if (needed.length === 0 || isWhole) return '';
    if (!isBundle) return `forValues: () => ({ ${needed} })`;
    const made = needed.map((part) => `${part}: partInBundle('${part}', made.${part})`);
    return `forValues: async (again) => { const made = again ?? await import('part:${VALUES_MODULE}'); return { ${made} }; }`;
  }
}

/**
 * The module through which bundles get the parts for plain values, as a file of its own where they can split. It has a copy of what other
 * programs need, too: if the two shared a file, esbuild would load that file at the start of every program. It imports nothing, so that it can be imported
 * again where that has failed (library/parts.ts).
 */
export const VALUES_MODULE = 'forValues';

/** @param folder of the parts */
export function valuesModule(layout: Layout, folder: string): string {
  const parts = new Set(Object.keys(FAMILIES).flatMap((family) => layout.forValuesOf(family)));
  return [...parts]
    .map((part) => readFileSync(join(folder, `${part}.js`), 'utf8').replace('export default', `export const ${part} =`))
    .join('\n');
}
