/**
 * The examination: asks the platform, tries a pool, and puts together what was found. Nothing that a platform lacks or refuses makes it throw, or
 * keeps it from the other questions.
 */
import type { ForkJoinPoolOptions } from 'furcate';
import { version } from '../core/version.js';
import { answerTo, asked, checksOf, type Finding } from './checks.js';
import type { Platform, SharedMemory } from './platform.js';
import { type Library, tryPool } from './pool-trial.js';
import type { DoctorReport } from './report.js';

/** Options of `doctor`. All are optional. */
export interface DoctorOptions {
  /** The options of the pool that is tried: those of your program, such as `createWorker`. */
  readonly pool?: ForkJoinPoolOptions | undefined;
  /**
   * Time that a step may take, in milliseconds: starting a worker, the first task, the round trip, ending. Default 10,000.
   */
  readonly limitMs?: number | undefined;
}

const LIMIT_MS = 10_000;

/** Origin of the default parallelism. */
function parallelismFrom(
  platform: Platform,
  cores: number | undefined,
  quota: number | undefined,
): DoctorReport['parallelismFrom'] {
  const variable = answerTo(asked(() => platform.environment('FURCATE_PARALLELISM')));
  if (variable !== undefined && variable !== '') return 'FURCATE_PARALLELISM';
  return quota !== undefined && quota < (cores ?? 1) ? 'quota' : 'cores';
}

/**
 * Examines a platform. Takes a second, and at most a few times the limit where workers do not answer.
 *
 * @param load imports the library
 */
export async function examine(
  platform: Platform,
  load: () => Promise<Library>,
  { pool = {}, limitMs = LIMIT_MS }: DoctorOptions = {},
): Promise<DoctorReport> {
  if (typeof limitMs !== 'number' || !(limitMs > 0))
    throw new RangeError(
      `furcate: doctor(options): limitMs must be more than 0 milliseconds; it was ${String(limitMs)}.`,
    );
  const isIsolated = answerTo(asked(() => platform.isIsolated()));
  const memory: Finding<SharedMemory> =
    isIsolated === false ? { failure: 'the page is not isolated' } : asked(() => platform.sharedMemory());
  const trial = memory.failure === undefined ? await tryPool(platform, load, pool, limitMs) : undefined;
  const checks = checksOf(platform, memory, trial);
  const cores = answerTo(asked(() => platform.cores()));
  const quota = answerTo(asked(() => platform.quota()));
  const cpuQuota = quota !== undefined && Number.isFinite(quota) ? quota : undefined;
  return {
    ok: !checks.some(({ verdict, isNeeded }) => isNeeded && verdict === 'no'),
    version,
    runtime: answerTo(asked(() => platform.runtime())) ?? 'an unknown runtime',
    checks,
    cores,
    cpuQuota,
    parallelism: trial?.parallelism,
    parallelismFrom: trial?.parallelism === undefined ? undefined : parallelismFrom(platform, cores, cpuQuota),
    firstResultMs: trial?.firstResultMs,
    roundTripUs: trial?.roundTripUs,
    sharedMemoryBytes: answerTo(memory)?.limitBytes,
    heapLimitBytes: answerTo(asked(() => platform.heapLimit())),
  };
}
