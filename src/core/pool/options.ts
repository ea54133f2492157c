/** The options of pools and invocations: checked before anything starts. */
import { isOfBuffer, isTransferable } from '../code/platform-objects.js';
import { show } from '../errors.js';
import type { Moves } from '../memory/moved-objects.js';
import { type Check, milliseconds, mustBe, numberOf, ofType, readOptions } from '../options.js';
import { environmentVariable, hasEnvironment, host } from '../platform/host.js';
import type { AbortSignalLike } from '../task/abort-signal.js';
import { KEEP_ALIVE_MS, MAX_PARALLELISM, MAX_SPARES } from '../tuning.js';
import { checkLimit, type LimitOption } from './permits.js';
import type { Stall } from './stall.js';

/** A thread of a pool, as `onWorkerStart` and `onWorkerStop` tell of it. */
export interface WorkerEvent {
  /** Its number, 1 and up, as in `stats().workers`; of a spare, its number among the spares. */
  readonly worker: number;
  /** The name of its thread. */
  readonly name: string;
  /** True if it computes only in the place of threads that are in a `blocking` section. */
  readonly isSpare: boolean;
}

/** Options of a pool. All are optional. */
export interface ForkJoinPoolOptions {
  /** Threads that compute, 1 to 256. Default: `FURCATE_PARALLELISM`, else the container's CPU quota, else the cores. */
  readonly parallelism?: number | undefined;
  /** Shows in thread names and errors. */
  readonly name?: string | undefined;
  /** Memory limits of each worker, as `worker_threads` takes them: `maxOldGenerationSizeMb`, `stackSizeMb`, ... */
  readonly resourceLimits?: Readonly<Record<string, number | undefined>> | undefined;
  /** Runs every forked task as if it were stolen, so that code which leans on accidental sharing fails. For tests. */
  readonly checked?: boolean | undefined;
  /** Time for which idle workers are kept (ms), and spare threads that rest. Default 60,000; Infinity keeps them. */
  readonly keepAliveMs?: number | undefined;
  /** Most spare threads, 0 to 256: they compute in the place of threads that are in a `blocking` section. Default 8. */
  readonly maxSpares?: number | undefined;
  /**
   * Time for which cancelled work may go on, in milliseconds, before its workers are ended and replaced; for calls that do
   * not say it themselves. Default Infinity: a leaf that never ends is waited for. Calls that return promises never run your
   * functions on the caller's thread when this is finite, since nothing could end them there.
   */
  readonly graceMs?: number | undefined;
  /**
   * Number of invocations that may wait because all workers are busy: an integer from 0 up. One more is refused with a
   * RejectedExecutionError. With 0, an invocation is taken only while a worker is free. Default Infinity.
   */
  readonly maxQueue?: number | undefined;
  /**
   * After how long a task counts as stalled, in milliseconds: one that has not forked, joined or called `checkpoint`; 0 for never. In
   * development (`NODE_ENV` is neither 'production' nor 'test') and with `onStall` the default is 1000, otherwise 0.
   */
  readonly stallMs?: number | undefined;
  /**
   * Called on this thread with each task that stalls, once. Without it the process is warned once, when invocations wait meanwhile. Nothing
   * looks at a pool while its owner blocks in `invokeSync`.
   */
  readonly onStall?: ((stall: Stall) => void) | undefined;
  /**
   * The path of a file that a timeline of the pool's threads is written to while they work, in Chrome's trace event format, or binary if it ends with
   * `.bin`; compressed if `.gz` follows. `%p` in it stands for the process's id. With `tasks: 'all'` it has the tasks that run in the place of their join, too
   * (`FURCATE_TRACE_TASKS=all`). Default: `FURCATE_TRACE`, else none. Node, Bun and Deno.
   */
  readonly trace?: string | { readonly file: string; readonly tasks?: 'apart' | 'all' | undefined } | undefined;
  /** Called on this thread when a worker is up. What it throws, nothing of the pool catches. */
  readonly onWorkerStart?: ((worker: WorkerEvent) => void) | undefined;
  /** Called on this thread when a worker that was up has ended, for whatever reason. What it throws, nothing of the pool catches. */
  readonly onWorkerStop?: ((worker: WorkerEvent) => void) | undefined;
  /**
   * Modules that every worker imports first: URLs, or package names as seen from the working directory. In a process that
   * runs under tsx, the workers register it by themselves; elsewhere `'furcate/tsx'` makes them run TypeScript.
   */
  readonly preload?: readonly string[] | undefined;
  /** Makes a worker from a file of your own that imports `furcate/worker`: for bundlers and strict CSPs. */
  readonly createWorker?: (() => unknown) | undefined;
  /** Options that browsers alone have. */
  readonly browser?:
    | {
        /**
         * The URL of `furcate/worker`, the file `worker.js` of the package with the files beside it, for pages whose Content Security Policy
         * forbids workers from `blob:` URLs. Default: workers start from the library's own text.
         */
        readonly workerUrl?: string | { readonly href: string } | undefined;
      }
    | undefined;
  /** Options that Node alone has. */
  readonly node?:
    | {
        /** Node flags for the workers, instead of those of this process: a TypeScript loader's `--import` among them, too. */
        readonly execArgv?: readonly string[] | undefined;
      }
    | undefined;
}

/** Options that have no default. */
type Optional =
  | 'resourceLimits'
  | 'createWorker'
  | 'browser'
  | 'node'
  | 'onStall'
  | 'onWorkerStart'
  | 'onWorkerStop'
  | 'trace';

/** The options with their defaults. */
export type PoolSettings = Readonly<Required<Omit<ForkJoinPoolOptions, Optional>>> &
  Pick<ForkJoinPoolOptions, Exclude<Optional, 'trace'>> & { readonly trace?: TraceSettings | undefined };

/** File and form of a recording. */
interface TraceSettings {
  readonly file: string;
  readonly tasks: 'apart' | 'all';
}

/** Options of one invocation. */
export interface InvokeOptions {
  /** Cancels the invocation: its promise rejects with an `AbortError` once nothing of it runs any more. */
  readonly signal?: AbortSignalLike | undefined;
  /** Cancels the invocation when it takes longer, in milliseconds. Not for Sync forms. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time for which the invocation may go on once it was cancelled, in milliseconds. Then the pool's workers are ended and
   * replaced: this invocation rejects with its CancellationError, others in flight in the pool with a WorkerCrashError.
   * Default: the pool's `graceMs`. Not for Sync forms.
   */
  readonly graceMs?: number | undefined;
  /**
   * Urgency of the invocation; `'normal'` by default. A high one begins at the next join or block of whatever a worker runs. A low one
   * runs when nothing else does. Not for Sync forms.
   */
  readonly priority?: Priority | undefined;
  /**
   * Called on this thread with each value that a task of the invocation gives to `report` or `scope.report`: in the order in which they were
   * reported, and before the promise settles. If it throws, the invocation is cancelled, and rejects with what it threw.
   */
  readonly onReport?: OnReport | undefined;
  /**
   * A value for all tasks of the invocation, which read it by `carried()`: the id of a request, a tenant. It is copied as a report is, each time
   * that something is invoked. Not for Sync forms.
   */
  readonly carry?: unknown;
  /**
   * Permits that it has to wait for before it starts: a `limit()` of `furcate/flows`, some permits of one, or an array of these. It waits on this
   * thread, and holds no worker. `timeoutMs` counts from the call; arguments are read at the start. Not for Sync forms.
   */
  readonly limit?: LimitOption | undefined;
  /**
   * Objects in the arguments or fields that the platform can only transfer, or that are to be transferred: ports, `OffscreenCanvas`,
   * `ImageBitmap`, streams. They go to the worker that runs the invocation, and this thread can use them no more. Not for algorithms, and not for
   * `invokeAny`.
   */
  readonly transfer?: readonly object[] | undefined;
}

/** Options of an invocation, as the pool passes them on. */
export interface SubmitOptions extends InvokeOptions {
  /** Time at which the call of this invocation began, by `performance.now()`: its time-out counts from then. */
  readonly startedMs?: number | undefined;
  /** Position in a call that holds the pool (`ForkJoinPool.hold`). While the first waits for a worker, so does the call. */
  readonly held?: 'first' | 'later' | undefined;
  /** Name for error messages, in the place of the name of its task. */
  readonly called?: string | undefined;
  /** Takes the result of an invocation that was cancelled, and has come to its end in spite of that: its promise rejects. */
  readonly onLate?: ((result: never) => void) | undefined;
  /** Objects that go to the worker that runs it. */
  readonly moves?: Moves | undefined;
}

/** Takes reports. It is the type of a method, so that a function for reports of a known type fits, too. */
type OnReport = { method(value: unknown): void }['method'];

/** Urgency of an invocation, beside others of its pool. */
export type Priority = (typeof PRIORITIES)[number];
export const PRIORITIES = ['high', 'normal', 'low'] as const;

/** Checks a number of threads. */
const threads = (least: number): Check<number> =>
  numberOf(
    (value) => Number.isInteger(value) && value >= least && value <= MAX_PARALLELISM,
    `an integer from ${least} to ${MAX_PARALLELISM}`,
    'threads',
  );

function checkQueue(value: unknown, what: string): number {
  if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 0))
    return value as number;
  const Kind = typeof value === 'number' ? RangeError : TypeError;
  throw new Kind(`furcate: ${what} must be an integer from 0 up, or Infinity; it was ${show(value)}.`);
}

const areStrings = mustBe(
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'an array of strings',
);
const checkStrings: Check = (value, what) => [...(areStrings(value, what) as string[])];

function checkUrl(value: unknown, what: string): string {
  const text: unknown = typeof value === 'string' ? value : Object(value).href; // a URL may come from another realm
  if (typeof text === 'string') return text;
  throw new TypeError(`furcate: ${what} must be a URL, or the text of one; it was ${show(value)}.`);
}

const isPath = mustBe((value) => typeof value === 'string' && value !== '', 'the path of a file');

const TRACE_OPTIONS = {
  file: isPath,
  tasks: mustBe((value) => value === 'apart' || value === 'all', "'apart' or 'all'"),
};

function checkTrace(value: unknown, what: string): TraceSettings {
  const isObject = typeof value === 'object' && value !== null;
  const given = isObject ? readOptions(value, what, TRACE_OPTIONS, { prefix: `${what}.` }) : { file: value };
  const { file, tasks = 'apart' } = given as TraceSettings;
  isPath(file, isObject ? `${what}.file` : what);
  if (host().recording !== undefined) return { file, tasks };
  throw new TypeError(`furcate: ${what} needs a runtime with files. Use trace(fn) of furcate/insight.`);
}

const checkMiB = mustBe((value) => typeof value === 'number' && value > 0, 'a positive number of MiB');
const checkPriority = mustBe<Priority>((value) => PRIORITIES.includes(value as Priority), "'high', 'normal' or 'low'");

/** Checks a signal by its members, because it may come from another realm. */
export const checkSignal = mustBe<AbortSignalLike>((value) => {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignalLike>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}, 'an AbortSignal');

const POOL_OPTIONS: Readonly<Record<keyof ForkJoinPoolOptions, Check>> = {
  parallelism: threads(1),
  name: ofType('string'),
  resourceLimits: (value, what) => readOptions(value, what, LIMITS, { prefix: `${what}.` }),
  checked: ofType('boolean'),
  keepAliveMs: milliseconds,
  maxSpares: threads(0),
  graceMs: milliseconds,
  maxQueue: checkQueue,
  stallMs: milliseconds,
  onStall: ofType('function'),
  trace: checkTrace,
  onWorkerStart: ofType('function'),
  onWorkerStop: ofType('function'),
  preload: checkStrings,
  createWorker: ofType('function'),
  browser: (value, what) => readOptions(value, what, { workerUrl: checkUrl }, { prefix: `${what}.` }),
  node: (value, what) => readOptions(value, what, { execArgv: checkStrings }, { prefix: `${what}.` }),
};

/** Options that a user may look for at the top. */
const ELSEWHERE: Readonly<Record<string, string>> = { execArgv: ' Write node: { execArgv }.' };

/** Options that a call which blocks cannot keep: it is not timed, nothing can end it, and it does not wait for a worker, nor is it a task of its own. */
export const PROMISE_ONLY = {
  timeoutMs: milliseconds,
  graceMs: milliseconds,
  priority: checkPriority,
  carry: (value: unknown): unknown => value,
  limit: checkLimit,
};

function checkTransfer(value: unknown, what: string): readonly object[] {
  const wrong: unknown = Array.isArray(value) ? value.find((one) => !isTransferable(one)) : value;
  if (Array.isArray(value) && wrong === undefined) return [...value];
  const cure = isOfBuffer(Object(wrong)) ? ' Tasks share memory instead: pass a sharedArray().' : '';
  throw new TypeError(
    `furcate: ${what} must be an array of ports, canvases, bitmaps or streams; it ${Array.isArray(value) ? 'has' : 'was'} ${show(wrong)}.${cure}`,
  );
}

const INVOKE_OPTIONS: Readonly<Record<keyof InvokeOptions, Check>> = {
  signal: checkSignal,
  ...PROMISE_ONLY,
  onReport: ofType('function'),
  transfer: checkTransfer,
};

/** The limits that `worker_threads` knows; it takes others in silence. */
const LIMITS: Readonly<Record<string, Check>> = {
  maxOldGenerationSizeMb: checkMiB,
  maxYoungGenerationSizeMb: checkMiB,
  codeRangeSizeMb: checkMiB,
  stackSizeMb: checkMiB,
};

const DEFAULTS = {
  checked: false,
  keepAliveMs: KEEP_ALIVE_MS,
  maxSpares: MAX_SPARES,
  graceMs: Number.POSITIVE_INFINITY,
  maxQueue: Number.POSITIVE_INFINITY,
  preload: [],
};

/** After how long a task counts as stalled by default (milliseconds). */
const STALL_MS = 1000;

/** A test runner's tests block workers on purpose. In browsers nothing says which it is. */
function isInDevelopment(): boolean {
  return hasEnvironment() && !['production', 'test'].includes(environmentVariable('NODE_ENV') ?? '');
}

let pools = 0;

/** Trace settings that the environment asks for. */
export function traceOfEnvironment(): TraceSettings | undefined {
  const file = environmentVariable('FURCATE_TRACE');
  if (!file) return undefined;
  return { file, tasks: environmentVariable('FURCATE_TRACE_TASKS') === 'all' ? 'all' : 'apart' };
}

export function poolSettings(options: ForkJoinPoolOptions): PoolSettings {
  const given = readOptions(options, 'ForkJoinPool(options)', POOL_OPTIONS, {
    elsewhere: ELSEWHERE,
  }) as Omit<ForkJoinPoolOptions, 'trace'> & Pick<PoolSettings, 'trace'>;
  const parallelism = given.parallelism ?? defaultParallelism();
  const name = given.name ?? `furcate-${++pools}`;
  const stallMs = given.stallMs ?? (given.onStall !== undefined || isInDevelopment() ? STALL_MS : 0);
  const trace = given.trace ?? traceOfEnvironment();
  return { ...DEFAULTS, ...given, parallelism, name, stallMs, trace };
}

export const invokeOptions = (options: unknown): InvokeOptions =>
  options === undefined ? {} : (readOptions(options, 'invoke(task, options)', INVOKE_OPTIONS) as InvokeOptions);

export const withOptions = (options: unknown): InvokeOptions =>
  readOptions(options, 'with(options)', INVOKE_OPTIONS) as InvokeOptions;

function defaultParallelism(): number {
  const text = host().environment?.('FURCATE_PARALLELISM');
  if (text !== undefined && text !== '')
    return threads(1)(Number(text), 'the environment variable FURCATE_PARALLELISM');
  return Math.min(MAX_PARALLELISM, host().availableParallelism());
}
