/**
 * Modules that a worker imports for their tasks, and that start the program as well; runs in workers.
 *
 * A main module that defines tasks is imported by the workers, and would make a pool there, whose workers import it
 * again, without end. So outside of tasks, a worker refuses to start anything: what throws gets a sentinel, which ends
 * the module's evaluation (what it registered before counts), and what returns a promise gets one that never settles,
 * which ends an async function there without a rejection that nobody handles. One warning a process explains.
 */

const SENTINEL = Symbol.for('furcate.main-module');

/** Told of each refusal where this thread is a worker of a pool; undefined elsewhere. */
let refusing: ((what: string) => void) | undefined;

/** Marks this thread as a worker of a pool: it starts nothing outside of tasks, while it loads and later. */
export function enterWorker(onRefusal: ((what: string) => void) | undefined): void {
  refusing = onRefusal;
}

/** One import under way. */
interface Loading {
  /** What was refused meanwhile. */
  readonly refused: string[];
  /**
   * Settles once the module has called what never settles here, and has registered enough an event-loop turn later: a
   * module that awaits such a call at its top level never finishes, and need not.
   */
  readonly stalled: Promise<void>;
  /** Told of a call that will never settle. */
  onStall(): void;
  end(): void;
}

const loadings = new Set<Loading>();

/** Begins to watch an import; `hasEnough` says whether the code that it is for is there. */
export function beginLoading(hasEnough: () => boolean): Loading {
  let onStall = (): void => {};
  const stalled = new Promise<void>((resolve) => {
    onStall = () => {
      setTimeout(() => hasEnough() && resolve(), 0);
    };
  });
  const loading: Loading = { refused: [], stalled, onStall, end: () => loadings.delete(loading) };
  loadings.add(loading);
  return loading;
}

function isRefused(what: string): boolean {
  if (refusing === undefined) return false;
  for (const { refused } of loadings) refused.push(what);
  refusing(what);
  return true;
}

/**
 * Throws the sentinel where this thread is a worker. To be called, outside of tasks, by what starts work and does not
 * return a promise: the pool's constructor, Sync forms.
 *
 * @param what was called: 'new ForkJoinPool()'
 */
export function guardMainModule(what: string): void {
  if (!isRefused(what)) return;
  throw Object.assign(new Error(`furcate: ${what} was reached in a worker. ${MAIN_MODULE_CURE}`), { [SENTINEL]: true });
}

/**
 * As `guardMainModule`, for what returns a promise: one that never settles, where this thread is a worker. A rejection
 * would go unhandled in an async function that nobody awaits, or reach a `catch` that ends the process.
 */
export function stallMainModule(what: string): Promise<never> | undefined {
  if (!isRefused(what)) return undefined;
  for (const loading of loadings) loading.onStall();
  return new Promise<never>(() => {});
}

/** Is it the sentinel, or an error that a module wrapped around it? */
export function isMainModuleSentinel(error: unknown): boolean {
  for (let e = error, depth = 0; typeof e === 'object' && e !== null && depth < 8; depth++) {
    if (SENTINEL in e) return true;
    e = (e as { cause?: unknown }).cause;
  }
  return false;
}

const MAIN_MODULE_CURE =
  'Workers import the module that defines a task, and this one starts the program as well. Move its tasks into a module ' +
  'of their own, or start the program only on the main thread: if (isMainThread) { ... }, with isMainThread from node:worker_threads.';

/** The one warning, for the first thing refused. */
export const mainModuleWarning = (what: string, url: string): string =>
  `furcate: a worker imported ${url}, which calls ${what} at the top level; that call does nothing there. ${MAIN_MODULE_CURE}`;
