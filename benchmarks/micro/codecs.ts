/** Measures the codecs of values side by side: V8's serializer, and the library's own; runs on the main thread, and in child processes. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { ValueCodec } from '../../src/core/platform/host.js';
import { nodeCodec } from '../../src/core/platform/node-codec.js';
import { portableCodec } from '../../src/core/platform/portable-codec.js';
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of } from '../harness/compare.js';
import { beside, type Figure, figure } from '../harness/figure.js';
import { CASES, through, told } from './codec-cases.js';

const execFileAsync = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));

const ROUNDS = 31;
const FIRST_ROUNDS = 15;
const CHILD_LIMIT_MS = 20_000;

const OWN = 'the portable codec';
const V8 = "V8's serializer";

async function measureCase({ name, value, times }: (typeof CASES)[number], setup: Setup): Promise<Figure[]> {
  const expected = told(value);
  const timed = (codecName: string, codec: ValueCodec): Candidate => ({
    name: codecName,
    expected,
    run() {
      let back: unknown;
      const start = performance.now();
      for (let k = 0; k < times; k++) back = through(codec, value);
      return { ms: (performance.now() - start) / times, answer: told(back) };
    },
  });
  const samples = await compare([timed(OWN, portableCodec()), timed(V8, nodeCodec())], effort(setup, ROUNDS, 20));
  return figuresOf(`${name}, there and back`, of(samples, OWN), of(samples, V8));
}

const inUs = (ms: readonly number[]): number[] => ms.map((one) => one * 1000);

const figuresOf = (what: string, own: readonly number[], v8: readonly number[]): Figure[] => [
  figure(`${what}: ${OWN}`, inUs(own), { unit: 'us', comparisons: [beside(V8, own, v8)] }),
  figure(`${what}: ${V8}`, inUs(v8), { unit: 'us' }),
];

/** Writes a program for plain Node that has one of the codecs, as a bundle has it. */
async function writeProgram(outfile: string, module: string, make: string): Promise<void> {
  const contents = `import { ${make} } from '../../src/core/platform/${module}.js';
    import { firstCalls } from './codec-cases.js';
    firstCalls(${make}, Number(process.argv[2]));`;
  await build({
    stdin: { contents, resolveDir: HERE, loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
  });
}

async function measureFirstCalls(setup: Setup): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'furcate-codecs-'));
  try {
    const programs = { [OWN]: join(folder, 'own.mjs'), [V8]: join(folder, 'v8.mjs') };
    await writeProgram(programs[OWN] as string, 'portable-codec', 'portableCodec');
    await writeProgram(programs[V8] as string, 'node-codec', 'nodeCodec');
    const figures: Figure[] = [];
    for (const [what, count] of [
      ['a small object', 0],
      ['100 objects', 100],
      ['1,000 objects', 1000],
    ] as const) {
      const later: Record<string, number[]> = { [OWN]: [], [V8]: [] };
      const candidates = Object.entries(programs).map(
        ([name, path]): Candidate => ({
          name,
          expected: true,
          async run() {
            const { stdout } = await execFileAsync(process.execPath, [path, String(count)], {
              timeout: CHILD_LIMIT_MS,
            });
            const { ms, answer } = JSON.parse(stdout) as { ms: [number, ...number[]]; answer: boolean };
            const [first, ...others] = ms;
            later[name]?.push(others.reduce((sum, one) => sum + one, 0) / others.length);
            return { ms: first, answer };
          },
        }),
      );
      const samples = await compare(candidates, effort(setup, FIRST_ROUNDS, 0));
      figures.push(
        ...figuresOf(`${what}, first call of a process`, of(samples, OWN), of(samples, V8)),
        ...figuresOf(`${what}, calls 2 to 10`, later[OWN] as number[], later[V8] as number[]),
      );
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const codecs: Benchmark = {
  name: 'codecs',
  says: "how long values take to become bytes and values again, by V8's serializer and by the codec of hosts that have none.",
  notFor: 'the cost of a task with such arguments, which are copied and checked as well.',
  async measure(setup) {
    const figures: Figure[] = [];
    for (const one of CASES) figures.push(...(await measureCase(one, setup)));
    return [...figures, ...(await measureFirstCalls(setup))];
  },
};
