/** The options of pools and invocations, checked before anything starts. */
import { show } from '../errors.js';
import { host } from '../platform/host.js';
import { KEEP_ALIVE_MS, MAX_PARALLELISM } from '../tuning.js';
import type { AbortSignalLike } from './abort-signal.js';

/** How a pool is made. All are optional. */
export interface ForkJoinPoolOptions {
  /** Threads that compute, 1 to 256. Default: `FURCATE_PARALLELISM`, else the container's CPU quota, else the cores. */
  readonly parallelism?: number;
  /** Shows in thread names and errors. */
  readonly name?: string;
  /** Node flags for the workers, instead of those of this process: a TypeScript loader's `--import` among them, too. */
  readonly execArgv?: readonly string[];
  /** Memory limits of each worker, as `worker_threads` takes them: `maxOldGenerationSizeMb`, `stackSizeMb`, ... */
  readonly resourceLimits?: Readonly<Record<string, number>>;
  /** Runs every forked task as if it were stolen, so that code which leans on accidental sharing fails. For tests. */
  readonly checked?: boolean;
  /** How long idle workers are kept, in milliseconds. Default 60,000; Infinity keeps them. */
  readonly keepAliveMs?: number;
  /**
   * How long cancelled work may go on, in milliseconds, before its workers are ended and replaced; for calls that do not say
   * it themselves. Default Infinity: a leaf that never ends is waited for. Calls that return promises never run your
   * functions on the caller's thread when this is finite, since nothing could end them there.
   */
  readonly graceMs?: number;
  /**
   * Modules that every worker imports first: URLs, or package names as seen from the working directory. In a process that
   * runs under tsx, the workers register it by themselves; elsewhere `'furcate/tsx'` makes them run TypeScript.
   */
  readonly preload?: readonly string[];
  /** Makes a worker from a file of your own that imports `furcate/worker`: for bundlers and strict CSPs. */
  readonly createWorker?: () => unknown;
}

export interface PoolSettings {
  readonly parallelism: number;
  readonly name: string;
  readonly execArgv: readonly string[] | undefined;
  readonly resourceLimits: Readonly<Record<string, number>> | undefined;
  readonly checked: boolean;
  readonly keepAliveMs: number;
  readonly graceMs: number;
  readonly preload: readonly string[];
  readonly createWorker: (() => unknown) | undefined;
}

/** How one invocation is run. */
export interface InvokeOptions {
  /** Cancels the invocation: its promise rejects with an `AbortError` once nothing of it runs any more. */
  readonly signal?: AbortSignalLike;
  /** Cancels the invocation when it takes longer, in milliseconds. */
  readonly timeoutMs?: number;
  /**
   * How long the invocation may go on once it was cancelled, in milliseconds. Then the pool's workers are ended and replaced:
   * this invocation rejects with its CancellationError, others in flight in the pool with a WorkerCrashError. Default: the
   * pool's `graceMs`.
   */
  readonly graceMs?: number;
}

const POOL_OPTIONS = [
  'parallelism',
  'name',
  'execArgv',
  'resourceLimits',
  'checked',
  'keepAliveMs',
  'graceMs',
  'preload',
  'createWorker',
] as const;

const INVOKE_OPTIONS = ['signal', 'timeoutMs', 'graceMs'] as const;

let pools = 0;

export function poolSettings(options: ForkJoinPoolOptions): PoolSettings {
  const given = plainOptions(options, 'ForkJoinPool(options)', POOL_OPTIONS);
  const { parallelism, name, execArgv, resourceLimits, checked, keepAliveMs, graceMs, preload, createWorker } = given;
  return {
    parallelism: parallelism === undefined ? defaultParallelism() : checkParallelism(parallelism, 'parallelism'),
    name: name === undefined ? `furcate-${++pools}` : checkType<string>(name, 'name', 'string'),
    execArgv: execArgv === undefined ? undefined : checkStrings(execArgv, 'execArgv'),
    resourceLimits: resourceLimits === undefined ? undefined : checkLimits(resourceLimits),
    checked: checked === undefined ? false : checkType<boolean>(checked, 'checked', 'boolean'),
    keepAliveMs: keepAliveMs === undefined ? KEEP_ALIVE_MS : checkMs(keepAliveMs, 'keepAliveMs'),
    graceMs: graceMs === undefined ? Number.POSITIVE_INFINITY : checkMs(graceMs, 'graceMs'),
    preload: preload === undefined ? [] : checkStrings(preload, 'preload'),
    createWorker:
      createWorker === undefined ? undefined : checkType<() => unknown>(createWorker, 'createWorker', 'function'),
  };
}

export function invokeOptions(options: unknown): InvokeOptions {
  if (options === undefined) return {};
  const { signal, timeoutMs, graceMs } = plainOptions(options, 'invoke(task, options)', INVOKE_OPTIONS);
  return {
    ...(signal === undefined ? {} : { signal: checkSignal(signal) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs: checkMs(timeoutMs, 'timeoutMs') }),
    ...(graceMs === undefined ? {} : { graceMs: checkMs(graceMs, 'graceMs') }),
  };
}

function plainOptions<K extends string>(
  options: unknown,
  call: string,
  known: readonly K[],
): Partial<Record<K, unknown>> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`furcate: the options of ${call} must be an object; they were ${show(options)}.`);
  }
  for (const key of Object.keys(options)) {
    if (!(known as readonly string[]).includes(key)) {
      throw new TypeError(`furcate: ${call} has no option '${key}'. It has: ${known.join(', ')}.`);
    }
  }
  const copy: Partial<Record<K, unknown>> = {};
  for (const key of known) copy[key] = (options as Record<K, unknown>)[key]; // getters run once
  return copy;
}

function defaultParallelism(): number {
  const text = host().environment('FURCATE_PARALLELISM');
  if (text !== undefined && text !== '')
    return checkParallelism(Number(text), 'the environment variable FURCATE_PARALLELISM');
  return Math.min(MAX_PARALLELISM, host().availableParallelism());
}

function checkParallelism(value: unknown, what: string): number {
  if (typeof value !== 'number')
    throw new TypeError(`furcate: ${what} must be a number of threads; it was ${show(value)}.`);
  if (!Number.isInteger(value) || value < 1 || value > MAX_PARALLELISM) {
    throw new RangeError(`furcate: ${what} must be an integer from 1 to ${MAX_PARALLELISM}; it was ${value}.`);
  }
  return value;
}

function checkType<T>(value: unknown, what: string, type: string): T {
  if (typeof value !== type) throw new TypeError(`furcate: ${what} must be a ${type}; it was ${show(value)}.`);
  return value as T;
}

function checkStrings(value: unknown, what: string): readonly string[] {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
    throw new TypeError(`furcate: ${what} must be an array of strings; it was ${show(value)}.`);
  }
  return [...value] as string[];
}

/** Those of `worker_threads`, which takes any others in silence. */
const LIMITS = ['maxOldGenerationSizeMb', 'maxYoungGenerationSizeMb', 'codeRangeSizeMb', 'stackSizeMb'] as const;

function checkLimits(value: unknown): Readonly<Record<string, number>> {
  const limits = Object.entries(plainOptions(value, 'resourceLimits', LIMITS)).filter(([, n]) => n !== undefined);
  for (const [name, n] of limits) {
    if (typeof n === 'number' && n > 0) continue;
    throw new TypeError(`furcate: resourceLimits.${name} must be a positive number of MiB; it was ${show(n)}.`);
  }
  return Object.fromEntries(limits) as Record<string, number>;
}

export function checkMs(value: unknown, what: string): number {
  if (typeof value !== 'number')
    throw new TypeError(`furcate: ${what} must be a number of milliseconds; it was ${show(value)}.`);
  if (!(value >= 0)) throw new RangeError(`furcate: ${what} must be 0 milliseconds or more; it was ${value}.`);
  return value;
}

/** By shape, since the signal may be another realm's. */
export function checkSignal(value: unknown): AbortSignalLike {
  const signal = value as Partial<AbortSignalLike> | null;
  if (
    typeof signal !== 'object' ||
    signal === null ||
    typeof signal.aborted !== 'boolean' ||
    typeof signal.addEventListener !== 'function'
  ) {
    throw new TypeError(`furcate: signal must be an AbortSignal; it was ${show(value)}.`);
  }
  return signal as AbortSignalLike;
}
