/**
 * Explains why a worker cannot import the module of a task; runs in workers.
 *
 * The thread that made the task has the module. So a file that is missing in the worker alone tells of a build: a bundler has put the
 * place of the source into the program, where `import.meta.url` stood.
 */
import { fileName } from './module-url.js';

/** Modules that this process was started with by `--import`. Node runs them on the main thread alone where workers start from a text. */
function importedFirst(): string[] {
  const { process: { execArgv = [] } = {} } = globalThis as { process?: { execArgv?: readonly string[] } };
  return execArgv.flatMap((option, i) =>
    option === '--import' ? execArgv.slice(i + 1, i + 2) : option.startsWith('--import=') ? [option.slice(9)] : [],
  );
}

const PRELOAD =
  "new ForkJoinPool({ preload: ['furcate/tsx'] }) does, or ForkJoinPool.configureCommonPool() with that option; in CommonJS, modules registered by " +
  "__filename are required, and preload: ['ts-node/register'] or another hook of require compiles them";

/** Settings that make a worker run TypeScript. */
function preloads(): string {
  const loaders = importedFirst();
  if (loaders.length === 0) return PRELOAD;
  const named = loaders.map((module) => `'${module}'`).join(', ');
  return `a loader that the program was started with by --import has to run in workers, too: new ForkJoinPool({ preload: [${named}] }); otherwise ${PRELOAD}`;
}

/** Cure for an import that takes longer than a call may wait. */
export const preloadCure = (url: string): string =>
  `The option preload has workers import modules when they start, and pool.ready() waits for that: new ForkJoinPool({ preload: ['${url}'] }).`;

/** The line that every bundler understands. */
export const IN_A_BUNDLE =
  "if a bundler made this program, let it make the workers' file too: new ForkJoinPool({ createWorker: () => " +
  "new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' }) }), where pool-worker.js imports 'furcate/worker' and the " +
  "modules of the tasks; in Node, Worker is imported from 'worker_threads'";

const isOfTypeScript = (error: object, url: string): boolean => {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (!/\.[cm]?tsx?$/.test(fileName(url))) return false;
  // A module that it imports may have the name that a loader maps to another file: './grain.js', which is grain.ts.
  const isUnmapped = importedFirst().length > 0 && isNotFound(error);
  return isUnmapped || /TYPESCRIPT|UNKNOWN_FILE_EXTENSION/.test(String(code)) || name === 'SyntaxError';
};

/**
 * Checks whether there is no module at a URL, or none that a worker can import. Runtimes have codes of their own, and browsers
 * have none.
 */
const isNotFound = (error: object): boolean => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    /MODULE_NOT_FOUND|UNSUPPORTED_ESM_URL_SCHEME|UNSUPPORTED_DIR_IMPORT/.test(String(code)) ||
    /(cannot find|could not resolve) |(module|file) not found|failed to (fetch|load|resolve)|error loading/i.test(
      String(message),
    )
  );
};

/**
 * Checks whether this is the worker of a page. Its program is a bundle, as a rule, and a worker that imports one fails for want of a
 * `document`.
 */
export function isOnTheWeb(): boolean {
  const { location } = globalThis as { location?: { protocol?: string } };
  return /^(https?|blob):$/.test(location?.protocol ?? '');
}

/** Reason why code has no URL, and the cure. */
export const withoutUrl = (): string =>
  'its module has no URL. ' +
  (isOnTheWeb()
    ? 'A build that makes a script for pages leaves import.meta.url undefined: let it emit ES modules (esbuild: --format=esm)'
    : 'A build that emits CommonJS leaves import.meta.url undefined: pass __filename there, or have esbuild do so: --define:import.meta.url=__filename') +
  `; or ${IN_A_BUNDLE}.`;

/** A name of a package, which an import map explains to a page alone. */
const isBareName = (text: string): boolean => /failed to resolve module specifier|was a bare specifier/i.test(text);

const NO_IMPORT_MAP =
  'workers have no import map: in modules that workers import, name packages by their URLs, or let a bundler make the program and the ' +
  "workers' file, with the option createWorker";

/** Deno names the permission itself, in an error of its own or, of a module, in the text of a TypeError. */
const isForbidden = (name: unknown, text: string): boolean =>
  name === 'NotCapable' || /\brequires \w+ access\b/i.test(text);

/** Checks whether this is the file of a test, which only its runner can import. */
const isOfTest = (text: string, url: string): boolean =>
  /\.(test|spec)\.[cm]?[jt]sx?$/.test(fileName(url)) || /\bvitest failed\b/i.test(text);

const OF_A_TEST =
  'this is the file of a test, which workers cannot import as the test runner does: move its tasks into a module of their own, which imports no test runner';

/** The text of an error that an import threw, with the cure for the usual reasons. */
export function explained(error: unknown, url: string): string {
  const thrown = Object(error) as { message?: unknown; name?: unknown };
  const text = typeof thrown.message === 'string' ? thrown.message : String(error);
  if (isForbidden(thrown.name, text)) return text;
  if (isOfTest(text, url)) return `${text} (${OF_A_TEST})`;
  if (isOfTypeScript(thrown, url)) {
    return `${text} (this runtime does not run the TypeScript of that file: ${preloads()}; ${IN_A_BUNDLE})`;
  }
  if (isBareName(text)) return `${text} (${NO_IMPORT_MAP})`;
  const mayBeBundle = (isOnTheWeb() && thrown.name !== 'SyntaxError') || isNotFound(thrown);
  return mayBeBundle ? `${text} (${IN_A_BUNDLE})` : text;
}
