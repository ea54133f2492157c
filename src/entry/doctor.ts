/**
 * `furcate/doctor`: what this platform offers to the library. It imports the library when it is asked to try a pool, so that it can say why
 * that fails.
 */
import { type DoctorOptions, examine } from '../doctor/examine.js';
import { thisPlatform } from '../doctor/platform.js';
import type { DoctorReport } from '../doctor/report.js';

export type { DoctorOptions } from '../doctor/examine.js';
export type { DoctorCheck, DoctorCheckName, DoctorReport } from '../doctor/report.js';
export { screenOf } from '../doctor/screen.js';

/**
 * Examines the platform that it runs on: memory that threads share, workers, waiting, WebAssembly, cores. It starts a pool of its own, measures
 * it, and ends it. It never throws, and takes about a second.
 *
 * @param options `pool`, the options of the pool that is tried; `limitMs`, how long a step may take
 * @returns what was found: plain data. `screenOf(report)` makes text of it
 * @example
 * const report = await doctor();
 * report.ok; // => true
 * report.checks.filter(({ verdict }) => verdict === 'no'); // => []
 */
export const doctor = (options: DoctorOptions = {}): Promise<DoctorReport> =>
  examine(thisPlatform, () => import('furcate'), options);
