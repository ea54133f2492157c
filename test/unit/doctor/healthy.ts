/** A platform and a library on which all is well, for tests that take something away. */
import type { Platform } from '../../../src/doctor/platform.js';
import type { Library } from '../../../src/doctor/pool-trial.js';

/** Its timers never fire. */
export const healthy: Platform = {
  runtime: () => 'Node 24.0.0',
  isIsolated: () => undefined,
  isSecure: () => true,
  sharedMemory: () => ({ limitBytes: 2 ** 32, isForKernels: true }),
  block: () => {},
  hasWaitAsync: () => true,
  validates: (module) => WebAssembly.validate(module),
  compileWasm: () => {},
  compileText: () => {},
  cores: () => 8,
  quota: () => Number.POSITIVE_INFINITY,
  environment: () => undefined,
  heapLimit: () => 2 ** 31,
  nowMs: () => performance.now(),
  timer: () => () => {},
};

/** Its time is over when nothing goes on any more by itself. */
export const impatient: Pick<Platform, 'timer'> = {
  timer(_ms, callback) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

/** The calls that an imitated pool may fail in. */
export interface PoolCalls {
  readonly construct?: (options: { readonly parallelism?: number | undefined }) => void;
  readonly ready?: () => Promise<void>;
  readonly invoke?: () => Promise<void>;
  readonly terminate?: () => Promise<void>;
}

/** A library whose pools do what the calls say, and what a pool does where they say nothing. */
export function libraryWith({ construct, ready, invoke, terminate }: PoolCalls = {}): Library {
  class ForkJoinPool {
    readonly parallelism: number;
    constructor(options: { readonly parallelism?: number | undefined }) {
      construct?.(options);
      this.parallelism = options.parallelism ?? 8;
    }
    ready = ready ?? (async () => {});
    invoke = invoke ?? (async () => {});
    terminate = terminate ?? (async () => {});
  }
  return { ForkJoinPool, checkpoint: () => {} } as unknown as Library;
}
