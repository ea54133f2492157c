/** Hosts of one application that are not alike: other versions of Node, and a program that is at another place on each. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForkJoinPool } from 'furcate';
import { connect } from 'furcate/cluster';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';
import { installed } from '../runtimes/install.js';
import { Processes, TASKS } from './processes.js';
import * as tasks from './tasks.mjs';

const RUNTIMES = ['node-20', 'node-22', 'node-24'];

/** Within the checkout, where `furcate` is found. */
const folder = (() => {
  mkdirSync(join(ROOT, '.build'), { recursive: true });
  return mkdtempSync(join(ROOT, '.build/other-hosts-'));
})();
const processes = new Processes();

afterAll(async () => {
  await processes.end();
  rmSync(folder, { recursive: true, force: true });
});

test('hosts on several versions of Node, each with the tasks at a place of its own, give the bits of a pool together', async () => {
  await processes.startServer();
  for (const name of RUNTIMES) {
    const module = join(folder, `${name}.mjs`);
    copyFileSync(TASKS, module);
    await processes.startHostOn({ runtime: installed(name), module }, name);
  }
  const cluster = await connect({ nats: processes.nats });
  const meeting = processes.newFolder();
  const items = RUNTIMES.map((): [string, number] => [meeting, RUNTIMES.length]);
  expect((await cluster.parallelMap(items, tasks.meet)).toSorted()).toEqual(RUNTIMES);

  const marks = processes.newFolder();
  const pool = new ForkJoinPool({ parallelism: 1 });
  const sum = await pool.invoke(new tasks.Fractions(0, 4096, ''));
  expect(await cluster.invoke(new tasks.Fractions(0, 4096, marks))).toBe(sum);
  expect(readdirSync(marks).length).toBeGreaterThan(RUNTIMES.length);
  await pool.close();
  await cluster.close();
});
