/** Describes the machine of a run, and whether it was quiet; runs on the main thread. */
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly cores: number;
  /** With family and model where the system tells: clouds sell processors of several generations under one name. */
  readonly cpu: string;
  readonly memoryGiB: number;
}

/** Highest load of the last minute, per core, at which the machine counts as quiet. */
const QUIET_LOAD_PER_CORE = 0.3;

/** Family and model, as Linux on x86 lists them: 'family 25 model 1' is AMD's Zen 3. */
function generation(): string {
  try {
    const lines = readFileSync('/proc/cpuinfo', 'latin1');
    const [family, model] = ['cpu family', 'model'].map(
      (key) => new RegExp(`^${key}\\s*:\\s*(\\d+)`, 'm').exec(lines)?.[1],
    );
    return family === undefined ? '' : `, family ${family} model ${model}`;
  } catch {
    return '';
  }
}

export const machine = (): Machine => ({
  node: process.version,
  v8: process.versions.v8,
  platform: `${process.platform} ${process.arch}`,
  cores: availableParallelism(),
  cpu: `${cpus()[0]?.model ?? 'unknown'}${generation()}`,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
});

export const loadOfLastMinute = (): number => loadavg()[0];

/** A warning if other processes used the machine before the benchmarks began. */
export function unquiet(load: number): string | undefined {
  if (load <= QUIET_LOAD_PER_CORE * availableParallelism()) return undefined;
  return `Not quiet: the load was ${load.toFixed(1)} before the run. Do not keep these figures.`;
}
