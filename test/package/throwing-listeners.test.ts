/** What becomes of a program whose `onStall`, `onWorkerStart` or `onWorkerStop` throws: told with its stack, and the pool goes on where the program does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { runNodeIn } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

const folder = mkdtempSync(join(ROOT, '.build/throwing-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  await ensureBuild();
  writeFileSync(
    join(folder, 'tasks.mjs'),
    `import { forkable } from 'furcate';
    export const holds = forkable(import.meta.url, 'holds', (words) => Atomics.wait(words, 0, 0));`,
  );
  writeFileSync(
    join(folder, 'program.mjs'),
    `import { ForkJoinPool } from 'furcate';
    import { holds } from './tasks.mjs';
    const [, , option, handles] = process.argv;
    const words = new Int32Array(new SharedArrayBuffer(4));
    let calls = 0;
    const throwsHere = () => {
      if (++calls === 2) Atomics.store(words, 0, 1), Atomics.notify(words, 0);
      throw new Error('of the listener');
    };
    const heard = [];
    if (handles) process.on('unhandledRejection', (error) => heard.push(error.message));
    const pool = new ForkJoinPool({ parallelism: 2, stallMs: option === 'onStall' ? 20 : 0, [option]: throwsHere });
    const all = [1, 2].map(() => pool.invoke(holds, words));
    if (option !== 'onStall') await pool.ready().then(() => (Atomics.store(words, 0, 1), Atomics.notify(words, 0)));
    const results = await Promise.all(all);
    await pool.close();
    await new Promise((resolve) => setImmediate(resolve));
    console.log(results.length, calls >= 2, heard.length === calls, ...new Set(heard));`,
  );
});

describe.each(['onStall', 'onWorkerStart', 'onWorkerStop'])('%s that throws', (option) => {
  test('ends a program that does not handle it, with the stack of the function', async () => {
    const { code, stderr } = await runNodeIn(folder, 'program.mjs', option);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Error: of the listener\n\s+at .*throwsHere .*program\.mjs:8:\d+/);
  });

  test('is told a program that handles it for each time, and its calls end as they should', async () => {
    expect(await runNodeIn(folder, 'program.mjs', option, 'handles')).toEqual({
      code: 0,
      stdout: '2 true true of the listener\n',
      stderr: '',
    });
  });
});
