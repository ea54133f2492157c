/**
 * `furcate/doctor`: what this platform offers to the library. It imports the library when it is asked to try a pool, so that it can say why
 * that fails.
 */
import { version } from '../core/version.js';
import { type DoctorOptions, examine } from '../doctor/examine.js';
import { thisPlatform } from '../doctor/platform.js';
import type { Library } from '../doctor/pool-trial.js';
import type { DoctorReport } from '../doctor/report.js';

export type { DoctorOptions } from '../doctor/examine.js';
export type { DoctorCheck, DoctorCheckName, DoctorReport } from '../doctor/report.js';
export { screenOf } from '../doctor/screen.js';

/** Beside this module. In a variable, so that no bundler takes it for a second copy of the library. */
const BESIDE = './index.js';

/**
 * The library of this realm, if the program has it already. Else the package by its name; and in browsers, where names mean nothing without an
 * import map, which workers never have, the file beside this one.
 */
async function load(): Promise<Library> {
  const runtime = (globalThis as unknown as Record<symbol, { readonly core: Library } | undefined>)[
    Symbol.for(`furcate@${version}`)
  ];
  if (runtime !== undefined) return runtime.core;
  try {
    return await import('furcate');
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it was found
    return (import(/* @vite-ignore */ /* webpackIgnore: true */ BESIDE) as Promise<Library>).catch(() => {
      throw error;
    });
  }
}

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
export const doctor = (options: DoctorOptions = {}): Promise<DoctorReport> => examine(thisPlatform, load, options);
