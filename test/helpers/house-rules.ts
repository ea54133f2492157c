/**
 * The rules of the house that a program can check, each as a function from files to the violations it finds.
 * `architecture.test.ts` applies them to this project, and to planted violations, so that each is known to bite.
 */
import { dirname, posix } from 'node:path';
import ts from 'typescript';
import { ALGORITHMS, ON_DEMAND } from '../../scripts/parts.js';
import type { ProjectFile } from './project-files.js';

/** Families of algorithms: each can be loaded without the others, so none imports another. */
const FAMILIES: readonly string[] = [
  ...new Set(Object.values({ ...ALGORITHMS, ...ON_DEMAND }).map((path) => `src/${posix.dirname(path)}/`)),
];

/**
 * Folders, from top to bottom: a file may import from its own folder and from the layers below. Folders of one layer do not
 * import each other. A file belongs to the folder with the longest name that it begins with.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['src/entry/'],
  ['src/doctor/'],
  ['src/cluster/index.ts'],
  ['src/cluster/operate/'],
  ['src/cluster/client/', 'src/cluster/host/'],
  ['src/cluster/host-function.ts', 'src/cluster/split.ts'],
  ['src/cluster/no-promise.ts', 'src/cluster/timeline.ts', 'src/cluster/within.ts'],
  ['src/cluster/library.ts'],
  ['src/cluster/link/'],
  ['src/index.ts', 'src/flows/index.ts', 'src/insight/index.ts'],
  ['src/flows/best/', 'src/flows/graph/', 'src/flows/pipeline/'],
  ['src/flows/limit/'],
  ['src/algorithms/index.ts'],
  FAMILIES,
  ['src/algorithms/sort/kernels/'],
  ['src/algorithms/call/'],
  ['src/algorithms/schedule/'],
  ['src/algorithms/patterns/'],
  ['src/algorithms/kernels/'],
  ['src/algorithms/returned-promise.ts', 'src/algorithms/shown.ts', 'src/algorithms/tuning.ts'],
  ['src/flow/'],
  ['src/insight/observing.ts'],
  ['src/insight/top/', 'src/insight/view/'],
  ['src/insight/channels/', 'src/insight/profile/', 'src/insight/recording/', 'src/insight/stalls/'],
  ['src/insight/strand-context.ts'],
  ['src/core/engine.ts', 'src/core/index.ts'],
  ['src/extensions/async/', 'src/extensions/reports/', 'src/extensions/simulation/', 'src/extensions/spares/'],
  ['src/core/pool/'],
  ['src/core/worker/'],
  ['src/core/job/', 'src/core/library/', 'src/core/wire/'],
  ['src/core/task/'],
  ['src/core/code/'],
  ['src/core/deque/'],
  ['src/core/observe/'],
  ['src/core/platform/'],
  ['src/core/memory/'],
  ['src/core/options.ts'],
  ['src/core/errors.ts'],
  ['src/core/probe.ts', 'src/core/show.ts', 'src/core/tuning.ts', 'src/core/version.ts'],
];

/** Folders with one entry: files of other folders import this file only. */
const ENTRIES: Readonly<Record<string, string>> = {
  'src/algorithms/patterns/': 'src/algorithms/patterns/recognise.ts',
};

/** What stands on the core imports it by its door, and the ground, which has no state and imports nothing above it. */
const CORE = 'src/core/';
const DOOR_AND_GROUND: readonly string[] = [
  'src/core/engine.ts',
  'src/core/errors.ts',
  'src/core/options.ts',
  'src/core/show.ts',
  'src/core/tuning.ts',
  'src/core/memory/atomics.ts',
  'src/core/memory/wide-count.ts',
  'src/core/memory/element-types.ts',
];
/**
 * The doctor examines a platform where the library may not even load. So it has copies of what finds out what the platform gives: of modules
 * without state.
 */
const DOCTOR = {
  path: 'src/doctor/',
  copies: [
    'src/core/memory/heap-layout.ts',
    'src/core/memory/heap-memory.ts',
    'src/core/platform/node-cores.ts',
    'src/core/version.ts',
  ],
};
/** The cluster tells values apart by the bytes of the portable codec, which Node's part of the core does not have: by a copy of a module without state. */
const CLUSTER = { path: 'src/cluster/', copies: ['src/core/platform/portable-codec.ts'] };
/** Entries put the package together, and extensions do parts of the worker's own work: they share its words and its invariants. */
const INSIDE: readonly string[] = [CORE, 'src/entry/', 'src/extensions/', 'src/index.ts'];

/** What source may import from elsewhere: an optional peer, only when asked for; modules of Node, in what runs nowhere else; and the package by its name, as a program that uses it. */
const ELSEWHERE: readonly { readonly path: string; readonly specifiers: readonly string[] }[] = [
  { path: 'src/entry/tsx.ts', specifiers: ['tsx/cjs/api', 'tsx/esm/api'] },
  { path: 'src/entry/doctor.ts', specifiers: ['furcate'] },
  { path: 'src/entry/command.ts', specifiers: ['furcate/doctor'] },
  { path: 'src/doctor/', specifiers: ['furcate'] },
  { path: 'src/entry/cluster-command.ts', specifiers: ['furcate/cluster'] },
  { path: 'src/entry/cluster-host.ts', specifiers: ['furcate/cluster'] },
  {
    path: 'src/cluster/',
    specifiers: [
      'furcate',
      '@nats-io/jetstream',
      '@nats-io/transport-node',
      'prom-client',
      ...['crypto', 'diagnostics_channel', 'fs', 'http', 'path', 'url', 'util', 'worker_threads'].map(
        (name) => `node:${name}`,
      ),
    ],
  },
];

const ATOMICS_SEAM = 'src/core/memory/atomics.ts';
const MAX_LINES = 400;
const CODE_FILE = /\.[cm]?[jt]s$/;
const KEBAB_CASE_FILE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
const VAGUE_NAME = /(^|\/)(utils?|common|misc|helpers?)(\.[cm]?[jt]s$|\/)/;
const MARKDOWN_LINK = /\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const FENCED_CODE = /^(```|~~~)[\s\S]*?^\1/gm;

/** Spelled in pieces, since this file is searched too. */
const MACHINE_TRACES: readonly RegExp[] = [
  /(?<![\w.@-])\/work\//,
  /(?<![\w.@-])\/tmp\/plan/,
  new RegExp(['registry', '(npmjs|yarnpkg|npmmirror)', '(org|com)'].join('\\.')),
  /"resolved"\s*:/,
  // The project stands alone: what it says is founded on its own pages.
  new RegExp(['\\bDES', 'IGN\\b'].join('')),
];

const isSource = ({ path }: ProjectFile): boolean => path.startsWith('src/') && CODE_FILE.test(path);

interface Folder {
  readonly name: string;
  readonly layer: number;
}

const FOLDERS: readonly Folder[] = LAYERS.flatMap((names, layer) => names.map((name) => ({ name, layer }))).sort(
  (a, b) => b.name.length - a.name.length,
);

const folderOf = (path: string): Folder | undefined =>
  FOLDERS.find(({ name }) => path === name || (name.endsWith('/') && path.startsWith(name)));

const familyOf = (path: string): string | undefined => FAMILIES.find((family) => path.startsWith(family));

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const parse = ({ path, text }: ProjectFile): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, false, ts.ScriptKind.TS);

const importsByFile = new WeakMap<ProjectFile, readonly string[]>();

/** Every module that a file names: import and export declarations, `import()` calls, and `import()` types. */
export function importsOf(file: ProjectFile): readonly string[] {
  const read = importsByFile.get(file);
  if (read !== undefined) return read;
  const found: string[] = [];
  importsByFile.set(file, found);
  const note = (specifier: ts.Node | undefined): void => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
  };
  walk(parse(file), (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) note(node.moduleSpecifier);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) note(node.arguments[0]);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal);
  });
  return found;
}

/** Files of the project that a file imports, types included. */
const targetsOf = (file: ProjectFile): string[] =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(dirname(file.path), specifier).replace(/\.js$/, '.ts'));

/** Imports of source files that `isWrong` says it of. */
const importsThat = (files: readonly ProjectFile[], isWrong: (from: string, target: string) => boolean): string[] =>
  files.filter(isSource).flatMap((file) =>
    targetsOf(file)
      .filter((target) => isWrong(file.path, target))
      .map((target) => `${file.path} imports ${target}`),
  );

/** Source files that belong to no folder. */
export const homelessFiles = (files: readonly ProjectFile[]): string[] =>
  files
    .filter((file) => isSource(file) && folderOf(file.path) === undefined)
    .map(({ path }) => `${path} is in no layer`);

/** Imports that go up, or to what is no folder. */
export const upwardImports = (files: readonly ProjectFile[]): string[] =>
  importsThat(files, (from, target) => (folderOf(target)?.layer ?? -1) < (folderOf(from)?.layer ?? -1));

/** Imports from another folder of the same layer, and from any folder within another family of algorithms. */
export const sidewaysImports = (files: readonly ProjectFile[]): string[] =>
  importsThat(files, (from, target) => {
    const [here, there] = [folderOf(from), folderOf(target)];
    if (here === undefined || there === undefined || here === there) return false;
    const [family, other] = [familyOf(from), familyOf(target)];
    return here.layer === there.layer || (family !== undefined && other !== undefined && family !== other);
  });

/** Imports into a folder that bypass its entry. */
export const importsBesideDoors = (files: readonly ProjectFile[]): string[] =>
  importsThat(files, (from, target) => {
    const there = folderOf(target);
    const entry = there && ENTRIES[there.name];
    if (entry !== undefined) return target !== entry && folderOf(from) !== there;
    if ([DOCTOR, CLUSTER].some(({ path, copies }) => from.startsWith(path) && copies.includes(target))) return false;
    const isOutside = !INSIDE.some((path) => from.startsWith(path));
    return isOutside && target.startsWith(CORE) && !DOOR_AND_GROUND.includes(target);
  });

/** Circles of imports, types included, each with the files that it ties together. */
export function importCircles(files: readonly ProjectFile[]): string[] {
  const sources = files.filter(isSource);
  const known = new Set(sources.map(({ path }) => path));
  const imports = new Map(sources.map((file) => [file.path, targetsOf(file).filter((target) => known.has(target))]));
  const circles = new Set<string>();
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const at = trail.indexOf(path);
    if (at >= 0) circles.add([...trail.slice(at)].sort().join(', '));
    if (at >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of imports.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const { path } of sources) visit(path);
  return [...circles].map((circle) => `a circle of imports ties ${circle}`);
}

/** Modules imported by source files from outside of src/: the library has no dependencies, and finds Node at run time. */
export function externalImports(files: readonly ProjectFile[]): string[] {
  return files
    .filter(isSource)
    .flatMap((file) => importsOf(file).map((specifier) => ({ path: file.path, specifier })))
    .filter(
      ({ path, specifier }) =>
        !ELSEWHERE.some((one) => path.startsWith(one.path) && one.specifiers.includes(specifier)),
    )
    .filter(
      ({ path, specifier }) => !specifier.startsWith('.') || !posix.join(dirname(path), specifier).startsWith('src/'),
    )
    .map(({ path, specifier }) => `${path} imports ${specifier}`);
}

/** Source files that name the global `Atomics` beside its seam, in a type too. */
export function atomicsOutsideTheSeam(files: readonly ProjectFile[]): string[] {
  return files
    .filter((file) => isSource(file) && file.path !== ATOMICS_SEAM && file.text.includes('Atomics'))
    .filter((file) => {
      let named = false;
      walk(parse(file), (node) => {
        if ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && node.text === 'Atomics') named = true;
      });
      return named;
    })
    .map((file) => `${file.path} names Atomics`);
}

/** What every message of the library begins with; the preload module names itself. */
const MESSAGE_PREFIX: RegExp = /^furcate(\/tsx)?: /;

/** `code.failure` is a message that another thread made, with its prefix. */
const isFailureOfOther = (text: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(text) && text.name.text === 'failure';

/** How a message begins: the text before its first `${}` or `+`. A name stands for what it is declared as. */
function beginningOf(text: ts.Expression | undefined, texts: ReadonlyMap<string, ts.Expression>): string {
  if (text === undefined) return '';
  if (ts.isBinaryExpression(text)) return beginningOf(text.left, texts);
  if (ts.isTemplateExpression(text)) return text.head.text;
  if (ts.isStringLiteralLike(text)) return text.text;
  if (ts.isIdentifier(text) && texts.has(text.text)) return beginningOf(texts.get(text.text), new Map());
  return '';
}

/** Errors made by source files whose messages do not say that the library speaks. */
export function anonymousErrors(files: readonly ProjectFile[]): string[] {
  return files.filter(isSource).flatMap((file) => {
    const tree = parse(file);
    const texts = new Map<string, ts.Expression>();
    const made: ts.NewExpression[] = [];
    walk(tree, (node) => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined) {
        texts.set(node.name.text, node.initializer);
      } else if (
        ts.isNewExpression(node) &&
        ts.isIdentifier(node.expression) &&
        node.expression.text.endsWith('Error')
      ) {
        made.push(node);
      }
    });
    return made
      .map(({ expression, arguments: given }) => ({ Class: (expression as ts.Identifier).text, given }))
      .map(({ Class, given }) => ({ Class, text: given?.[Class === 'AggregateError' ? 1 : 0] }))
      .filter(({ text }) => text === undefined || !isFailureOfOther(text))
      .map(({ Class, text }) => ({ Class, beginning: beginningOf(text, texts) }))
      .filter(({ beginning }) => !MESSAGE_PREFIX.test(beginning))
      .map(({ Class, beginning }) => `${file.path} makes a ${Class} that begins with '${beginning}'`);
  });
}

/** `FORM_` and the like stand for several names. */
const CONSTANT_NAME = /(?<![\w$])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w$])/g;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;
/** What was true at its time. */
const HISTORY = /^(CHANGELOG\.md$|benchmarks\/results\/)/;

/** Constants that a comment in src/ or a page names, and no code has: most were renamed. */
export function unknownConstants(files: readonly ProjectFile[]): string[] {
  const known = new Set<string>();
  for (const file of files.filter(({ path }) => CODE_FILE.test(path))) {
    const code = file.text.replace(COMMENT, '');
    for (const [name] of code.matchAll(CONSTANT_NAME)) known.add(name);
  }
  return files
    .filter((file) => isSource(file) || (file.path.endsWith('.md') && !HISTORY.test(file.path)))
    .map(({ path, text }) => ({
      path,
      prose: isSource({ path, text }) ? (text.match(COMMENT) ?? []).join('\n') : text.replace(FENCED_CODE, ''),
    }))
    .flatMap(({ path, prose }) =>
      [...new Set(prose.match(CONSTANT_NAME))]
        .filter((name) => !known.has(name))
        .map((name) => `${path} names ${name}`),
    );
}

/** Code files that are too long to be one concept. */
export function longFiles(files: readonly ProjectFile[]): string[] {
  return files
    .filter((file) => CODE_FILE.test(file.path))
    .map((file) => ({ path: file.path, lines: file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/** Types and classes of `src` whose name another file declares, too: a reader who looks for one finds the other. */
export function namesakes(files: readonly ProjectFile[]): string[] {
  const declared = new Map<string, Set<string>>();
  for (const { path, text } of files.filter(isSource)) {
    for (const [, name = ''] of text.matchAll(
      /^(?:export )?(?:declare )?(?:interface|type|(?:abstract )?class) (\w+)/gm,
    )) {
      declared.set(name, (declared.get(name) ?? new Set()).add(path));
    }
  }
  return [...declared]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name} is declared in ${[...paths].join(' and ')}`);
}

/** Code files whose names are not kebab-case, and source files whose names say nothing. */
export function badNames(files: readonly ProjectFile[]): string[] {
  return files
    .filter((file) => CODE_FILE.test(file.path))
    .filter(
      (file) => !KEBAB_CASE_FILE.test(posix.basename(file.path)) || (isSource(file) && VAGUE_NAME.test(file.path)),
    )
    .map((file) => file.path);
}

/** Relative links in markdown files that lead nowhere. `exists` is asked for paths relative to the root. */
export function deadLinks(files: readonly ProjectFile[], exists: (path: string) => boolean): string[] {
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap((file) =>
      [...file.text.replace(FENCED_CODE, '').matchAll(MARKDOWN_LINK)]
        .map((match) => match[1] as string)
        .filter((target) => !/^([a-z][a-z0-9+.-]*:|#|\/\/)/i.test(target))
        .map((target) => posix.join(dirname(file.path), decodeURI(target.replace(/[#?].*$/, ''))))
        .filter((target) => target.startsWith('..') || !exists(target))
        .map((target) => `${file.path} links to ${target}`),
    );
}

/** Files with the marks that git leaves where a merge needs a decision. */
export const mergeMarks = (files: readonly ProjectFile[]): string[] =>
  files.filter(({ text }) => /^(<{7}|>{7}) /m.test(text)).map(({ path }) => path);

/** Traces of the place that a file was made in: paths, hosts of package registries, pages that nobody outside has. */
export function machineTraces(files: readonly ProjectFile[]): string[] {
  return files.flatMap((file) =>
    MACHINE_TRACES.filter((trace) => trace.test(file.text)).map((trace) => `${file.path} matches ${trace.source}`),
  );
}
