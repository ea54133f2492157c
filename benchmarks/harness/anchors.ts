/** Runs the native programs in the directory that --anchors names; runs on the main thread. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { median } from './median.js';

/** One line of `run.sh`. */
interface AnchorLine {
  readonly system: string;
  readonly workload: string;
  readonly threads: number;
  readonly median_ms: number;
  readonly check: number;
}

/** Workloads with a known answer. */
const ANSWERS: Readonly<Record<string, number>> = { 'fork-join': 2178309, queens: 2680 };

const keyOf = (system: string, workload: string, threads: number): string => `${system} ${workload} ${threads}`;

/** The medians of all runs so far, by system, workload and number of threads. */
export class Anchors {
  readonly #directory: string;
  readonly #medians = new Map<string, number[]>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Runs the programs once. Call it before and after the candidates, so that a drift of the machine's speed averages out. */
  async run(systems: readonly string[]): Promise<void> {
    const script = join(this.#directory, 'run.sh');
    const child = spawn('bash', [script, ...systems], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with code ${code}.`))));
    });
    for await (const text of createInterface(child.stdout)) if (text.startsWith('{')) this.#note(JSON.parse(text));
    await ended;
  }

  #note({ system, workload, threads, median_ms, check }: AnchorLine): void {
    const answer = ANSWERS[workload];
    if (answer !== undefined && answer !== check) {
      throw new Error(`The anchor ${system} answered ${check} for ${workload}; the right answer is ${answer}.`);
    }
    const key = keyOf(system, workload, threads);
    this.#medians.set(key, [...(this.#medians.get(key) ?? []), median_ms]);
  }

  /** The median in milliseconds, or undefined if no such program ran. */
  medianMs(system: string, workload: string, threads: number): number | undefined {
    const medians = this.#medians.get(keyOf(system, workload, threads));
    return medians === undefined ? undefined : median(medians);
  }
}
