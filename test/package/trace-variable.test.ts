/** `FURCATE_TRACE`: the timeline of a program that knows nothing of it, however the program ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';
import { type Timeline, timelineOf } from '../helpers/timeline.js';

const folder = mkdtempSync(join(ROOT, '.build/trace-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  writeFileSync(
    join(folder, 'tasks.mjs'),
    `import { fork, forkable, join } from 'furcate';
    export const fib = forkable(import.meta.url, 'fib', (n) => {
      if (n < 2) return n;
      const left = fork(fib, n - 1);
      const right = fib(n - 2);
      return join(left) + right;
    });`,
  );
});

/** Runs a program, and returns what it has printed. @param isKilled whether it is killed when it has printed something */
async function run(name: string, text: string, trace: string, { isKilled = false } = {}): Promise<string> {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(
    path,
    `import { ForkJoinPool, parallelSort, sharedArray } from 'furcate';\nimport { fib } from './tasks.mjs';\n${text}`,
  );
  const child = spawn(process.execPath, [path], {
    cwd: folder,
    env: { ...process.env, FURCATE_TRACE: trace, NODE_OPTIONS: '' },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      printed += piece;
      if (isKilled) child.kill('SIGKILL');
    });
  }
  await once(child, 'close');
  return printed;
}

function read(name: string): Timeline {
  const bytes = readFileSync(join(folder, name));
  return timelineOf(String(name.endsWith('.gz') ? gunzipSync(bytes) : bytes));
}

const rootsOf = (timeline: Timeline): number => timeline.slices('root').length;

test('a program that does not close its pool leaves a whole file, compressed if its name says so', async () => {
  const program = `
    const xs = sharedArray(Float64Array, 300_000, { uninitialized: true });
    await parallelSort(xs);
    console.log(await new ForkJoinPool({ parallelism: 2 }).invoke(fib, 22));`;
  expect(await run('ends', program, 'ends.json.gz')).toBe('17711\n');
  const timeline = read('ends.json.gz');
  expect([timeline.problems, timeline.dropped]).toEqual([[], 0]);
  expect(timeline.slices('root').map(({ name }) => name)).toContain('fib');
  expect(timeline.slices('code').map(({ name }) => name)).toContain('loading fib');
});

test('process.exit() in the middle of a call, and a kill, leave whole files', async () => {
  await run(
    'exits',
    `const pool = new ForkJoinPool({ parallelism: 1 }); await pool.invoke(fib, 5); await pool.invoke(fib, 5); void pool.invoke(fib, 40); setImmediate(() => process.exit());`,
    'exits.json',
  );
  // A worker notes a task after its result is there: that of the second may be missing.
  expect(rootsOf(read('exits.json'))).toBeGreaterThan(0);
  expect(rootsOf(read('exits.json'))).toBeLessThanOrEqual(2);
  expect(read('exits.json').problems).toEqual([]);
  const forever = `import { existsSync, statSync } from 'node:fs';
    const pool = new ForkJoinPool({ parallelism: 1 });
    const file = process.env.FURCATE_TRACE;
    for (let size = 0, writes = 0; ; ) {
      await pool.invoke(fib, 10);
      const now = existsSync(file) ? statSync(file).size : 0;
      if (now > size && ++writes === 4) console.log('killed now');
      size = now;
    }`;
  for (const name of ['killed.json', 'killed.json.gz']) {
    await run('killed', forever, name, { isKilled: true });
    const timeline = read(name);
    expect(timeline.problems).toEqual([]);
    expect(rootsOf(timeline)).toBeGreaterThan(0);
  }
});

test('%p is the process, and threads that own pools have files of their own', async () => {
  const program = `
    import { isMainThread, Worker } from 'node:worker_threads';
    const pool = new ForkJoinPool({ parallelism: 1 });
    await pool.invoke(fib, isMainThread ? 3 : 4);
    if (isMainThread) new Worker(new URL(import.meta.url));
    else await pool.close();`;
  expect(await run('threads', program, 'out-%p.json')).toBe('');
  const made = readdirSync(folder)
    .filter((name) => /^out-\d+(-\d+)?\.json$/.test(name))
    .sort((a, b) => a.length - b.length);
  expect(made).toHaveLength(2);
  for (const name of made) expect(rootsOf(read(name))).toBe(1);
});

test('a file that cannot be written is warned of once, and the program runs', async () => {
  const program = `for (let k = 0; k < 2; k++) console.log(await new ForkJoinPool({ parallelism: 1 }).invoke(fib, 10));`;
  const printed = await run('nowhere', program, 'no/such/folder/out.json');
  expect(printed).toMatch(/furcate: the timeline cannot be written to no\/such\/folder\/out\.json: Error: ENOENT/);
  expect(printed.match(/cannot be written/g)).toHaveLength(1);
  expect(printed.match(/^55$/gm)).toHaveLength(2);
});
