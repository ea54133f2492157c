/** Report of the doctor: plain data, which can be sent as JSON. */

/** Names of the checks, in this order. */
export type DoctorCheckName =
  | 'sharedMemory'
  | 'isolation'
  | 'threads'
  | 'roundTrip'
  | 'blocking'
  | 'waitAsync'
  | 'wasmThreads'
  | 'wasmSimd'
  | 'inlineFunctions';

/** One thing that a platform has, or lacks. */
export interface DoctorCheck {
  readonly name: DoctorCheckName;
  /** `'untested'` where it cannot be found out: because something else is missing, or the platform refuses to say. */
  readonly verdict: 'yes' | 'no' | 'untested';
  /** True if parallelism depends on it. */
  readonly isNeeded: boolean;
  /** Finding, or why there is nothing: one sentence. */
  readonly finding: string;
  /** Advice for a `'no'`, or what happens in its place. */
  readonly advice?: string | undefined;
}

/** Findings of the doctor about the platform that it runs on. A number is undefined where the platform does not tell it. */
export interface DoctorReport {
  /** True if parallel calls run on several threads here. */
  readonly ok: boolean;
  /** Of the package. */
  readonly version: string;
  /** The runtime and its version. */
  readonly runtime: string;
  readonly checks: readonly DoctorCheck[];
  /** Of the machine. */
  readonly cores: number | undefined;
  /** Cores that the container may use on average, rounded up; undefined without a quota. */
  readonly cpuQuota: number | undefined;
  /** The default parallelism of pools. */
  readonly parallelism: number | undefined;
  readonly parallelismFrom: 'FURCATE_PARALLELISM' | 'quota' | 'cores' | undefined;
  /** From the making of a pool to its first result. */
  readonly firstResultMs: number | undefined;
  /** An empty task to a worker and back, without pauses; the median. */
  readonly roundTripUs: number | undefined;
  /** Limit of all shared arrays together. */
  readonly sharedMemoryBytes: number | undefined;
  /** Limit of this thread's heap of JavaScript objects. */
  readonly heapLimitBytes: number | undefined;
}
