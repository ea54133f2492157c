/**
 * tsx, the TypeScript loader, in the workers of a process that runs under it. Node hands a loader's `--import` down to
 * workers, but tsx registers itself on the main thread only, so that workers cannot import the TypeScript that defines
 * their tasks.
 *
 * The thread that starts a worker finds out (`tsxFor`), and the worker registers tsx before it imports its first module:
 * one that runs inline functions only never does, and need not wait the 100 ms that it takes.
 */

import { variable } from './node-permissions.js';

/** The modules of tsx whose `register` is called: that for `require`, and that for `import`. */
export type TsxModules = readonly string[];

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** Part of Node's `process` that is read. */
export type FlaggedProcess = Pick<NodeJS.Process, 'execArgv' | 'argv' | 'env' | 'cwd'>;

/** Options of Node that name a module to load; the name follows after `=`, or as the next word. */
const LOADS = /^(?:--import|--require|-r|--loader|--experimental-loader)(?:=(.*))?$/s;
/** `tsx` and its subpaths, and files of the package, as its own command names them. */
const TSX = /^tsx(?:\/|$)|[\\/]tsx[\\/]dist[\\/]/;
/** The package's own preload module, which registers tsx too. */
const OUR_TSX = /^furcate\/tsx$|[\\/]dist[\\/]tsx\.js$/;
/** Words as the shell has them: spaces within double quotes are part of a word. */
const WORDS = /(?:[^\s"]|"(?:\\.|[^"\\])*")+/g;

/** The words of NODE_OPTIONS, without their quotes. */
const wordsOf = (text: string): string[] =>
  (text.match(WORDS) ?? []).map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"/g, (_, quoted) => quoted.replace(/\\(.)/g, '$1')),
  );

/** The first module of tsx that these options load, as they name it. */
export function tsxAmong(options: readonly string[]): string | undefined {
  for (let i = 0; i < options.length; i++) {
    const match = LOADS.exec(options[i] as string);
    const loaded = match === null ? undefined : (match[1] ?? options[i + 1]);
    if (loaded !== undefined && TSX.test(loaded)) return loaded;
  }
  return undefined;
}

/** The file that a target of `exports` names for `import`. */
function importTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  const { import: forImport, default: fallback } = Object(target) as Record<string, unknown>;
  const next = forImport ?? fallback;
  return next === undefined ? undefined : importTarget(next);
}

/**
 * Modules that workers must load to run TypeScript as this process does; undefined where it does not run under tsx, or
 * where tsx is not to be found.
 *
 * @param options that the worker is started with, if they are not those of this process
 * @param preload modules that the worker imports first: where tsx is among them, nothing is left to do
 */
export function tsxFor(
  started: FlaggedProcess,
  options: readonly string[] = started.execArgv,
  preload: readonly string[] = [],
): TsxModules | undefined {
  const fromEnvironment = variable('NODE_OPTIONS', started.env) ?? '';
  if (options.length === 0 && fromEnvironment === '') return undefined;
  const named = tsxAmong([...options, ...wordsOf(fromEnvironment)]);
  if (named === undefined || preload.some((module) => TSX.test(module) || OUR_TSX.test(module))) return undefined;
  const { createRequire } = process.getBuiltinModule('node:module');
  const { pathToFileURL } = process.getBuiltinModule('node:url');
  // Its own files first; Node finds a bare name from the folder it is started in; the program may have left that since.
  const places = [
    ...(/^(?:file:|[\\/]|[A-Za-z]:[\\/])/.test(named) ? [named] : []),
    `${started.cwd()}/_`,
    started.argv[1],
  ];
  for (const place of places) {
    try {
      const require = createRequire(place as string);
      const manifest = require('tsx/package.json') as Manifest;
      const base = pathToFileURL(require.resolve('tsx/package.json'));
      const modules = ['./cjs/api', './esm/api'].map((name) => importTarget(manifest.exports?.[name]));
      if (modules.every((module) => module !== undefined)) return modules.map((module) => new URL(module, base).href);
    } catch {
      // not there: the next place
    }
  }
  return undefined;
}
