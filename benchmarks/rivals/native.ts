/** Runs the native programs of native/run.sh, and reads what they print; runs on the main thread. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What a native program took for a work. */
export interface NativeTime {
  readonly system: string;
  readonly workload: string;
  readonly threads: number;
  readonly median_ms: number;
  /** Interquartile range as a share of the median. */
  readonly spread: number;
  readonly check: number;
}

export interface NativeRun {
  readonly times: readonly NativeTime[];
  /** The versions of compilers and virtual machines, by system. */
  readonly versions: Readonly<Record<string, string>>;
  /** What is missing for a system, by system. */
  readonly missing: Readonly<Record<string, string>>;
}

type Line = NativeTime | { readonly system: string; readonly version?: string; readonly missing?: string };

/** @param script the path of run.sh */
export async function runNative(
  script = fileURLToPath(new URL('./native/run.sh', import.meta.url)),
  systems: readonly string[] = [],
): Promise<NativeRun> {
  const times: NativeTime[] = [];
  const versions: Record<string, string> = {};
  const missing: Record<string, string> = {};
  const child = spawn('bash', [script, ...systems], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  for await (const text of createInterface(child.stdout)) {
    if (!text.startsWith('{')) continue;
    const line = JSON.parse(text) as Line;
    if ('workload' in line) times.push(line);
    else if (line.missing !== undefined) missing[line.system] = line.missing;
    else if (line.version !== undefined) versions[line.system] = line.version;
  }
  await ended;
  return { times, versions, missing };
}
