/** Describes the machine of a run, and whether it was quiet; runs on the main thread. */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
}

/** Highest load of the last minute, per core, at which the machine counts as quiet. */
const QUIET_LOAD_PER_CORE = 0.3;

export const machine = (): Machine => ({
  node: process.version,
  v8: process.versions.v8,
  platform: `${process.platform} ${process.arch}`,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
});

export const loadOfLastMinute = (): number => loadavg()[0];

/** A warning if other processes used the machine before the benchmarks began. */
export function unquiet(load: number): string | undefined {
  if (load <= QUIET_LOAD_PER_CORE * availableParallelism()) return undefined;
  return `Not quiet: the load was ${load.toFixed(1)} before the run. Do not keep these figures.`;
}
