/** Measures the time from a new pool to its first result, in child processes; runs on the main thread. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Benchmark, effort } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { atMost, beside, figure } from '../harness/figure.js';

const execFileAsync = promisify(execFile);

const ROUNDS = 15;
const CHILD_LIMIT_MS = 20_000;

interface Report {
  readonly ms: number;
  readonly importMs?: number;
  readonly answer: number;
}

/** Runs a child in plain Node, without a TypeScript loader, and returns its report. */
async function runChild(file: string): Promise<Report> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = await execFileAsync(process.execPath, [path], { timeout: CHILD_LIMIT_MS });
  return JSON.parse(stdout) as Report;
}

export const start: Benchmark = {
  name: 'start',
  says: 'how long a fresh process waits from `new ForkJoinPool({ parallelism: 2 })` to the result of an empty task.',
  notFor:
    'a second invocation, which finds the workers running (round-trip), and the import of the library, shown separately.',
  async measure(setup) {
    const importMs: number[] = [];
    const child = (name: string, file: string, seen?: (report: Report) => void): Candidate => ({
      name,
      expected: 2,
      async run() {
        const report = await runChild(file);
        seen?.(report);
        return report;
      },
    });
    const samples = await compare(
      [
        child('pool', './start-furcate.mjs', (report) => importMs.push(report.importMs!)),
        child('bare', './start-bare.mjs'),
      ],
      effort(setup, ROUNDS, 1),
    );
    const [pool, bare] = [of(samples, 'pool'), of(samples, 'bare')];
    return [
      figure('new pool to first result, P=2', pool, {
        target: atMost(45),
        comparisons: [beside('two bare workers', pool, bare)],
      }),
      figure('two bare workers to the first message', bare),
      figure('import of the library', importMs.slice(-pool.length)),
    ];
  },
};
