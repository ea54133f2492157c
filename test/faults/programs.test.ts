import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ensureVariant } from '../../scripts/build.js';
import { runNode } from '../helpers/child-process.js';
import { FAULT_CHANGES } from '../helpers/fault-steps.js';

/** Made before the tests, whose time is bounded: other builds may come first. */
const build = pathToFileURL(await ensureVariant('faults', FAULT_CHANGES)).href;

const program = (name: string, ...args: string[]): ReturnType<typeof runNode> =>
  runNode(`test/fixtures/programs/${name}`, ...args);

/** A worker may reach its step between two invocations. A warning tells of its death then. */
const IDLE_DEATHS =
  /^\(node:\d+\) FurcateWarning: furcate: worker \d of pool 'furcate-1' ended with exit code 7 while nothing was in flight\n(\(Use `node --trace-warnings .*\n)?/gm;

/** Starts the module as a program does whose workers see the same environment, and no arguments. */
function startMain(how: string): ReturnType<typeof runNode> {
  const main = new URL('../fixtures/programs/main-with-tasks.mjs', import.meta.url).href;
  return runNode('--input-type=module', '-e', `process.env.FURCATE_TEST_FORM = '${how}'; await import('${main}');`);
}

test('a program with an idle pool ends by itself', async () => {
  expect(await program('idle.mjs')).toEqual({ code: 0, stdout: '42\n44\n', stderr: '' });
});

test('a main module that configures the common pool may define tasks: it does nothing in workers, and one warning says so', async () => {
  const { code, stdout, stderr } = await program('configured.mjs');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ours 42\n' });
  expect(stderr.match(/configureCommonPool\(\)/g)).toHaveLength(1);
});

test('a program with an invocation in flight ends when that is done', async () => {
  expect(await program('in-flight.mjs')).toEqual({ code: 0, stdout: '0\n', stderr: '' });
});

test('a program stays until its pool has ended, though calls that needed the workers end first', async () => {
  const cancelled = 'CancellationError,CancellationError,CancellationError\n'.repeat(3);
  expect(await program('ends-early.mjs')).toEqual({ code: 0, stdout: `close\nterminate\n${cancelled}`, stderr: '' });
});

test('a program that no word of an end reaches finds out by itself', async () => {
  expect(await program('unheard.mjs')).toEqual({ code: 0, stdout: '0\n0\n', stderr: '' });
});

test.each(['run: body returned', 'heap: lock taken', 'sleep: about to wait', 'publish: public'])(
  'a program whose workers died at "%s" goes on, and ends by itself',
  async (step) => {
    for (const deaths of ['1', '2']) {
      const { code, stdout, stderr } = await program('killed.mjs', build, step, deaths);
      expect({ code, stderr: stderr.replace(IDLE_DEATHS, '') }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^(WorkerCrashError\n)*8\n$/);
    }
  },
);

test.each([1, 3])(
  'every line that tasks print appears, in the order of each task (%i workers)',
  async (parallelism) => {
    const { code, stdout, stderr } = await program('prints.mjs', String(parallelism));
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    for (const label of ['a', 'b', 'c']) {
      expect(lines.filter((line) => line.startsWith(label))).toEqual(
        Array.from({ length: 300 }, (_, i) => `${label} ${i}`),
      );
    }
    expect(lines).toHaveLength(900);
    expect(stderr.trimEnd().split('\n').sort()).toEqual(['a error', 'b error', 'c error']);
  },
);

describe('what a module that Node requires first prints in a worker is shown', () => {
  const required = ['--require', './test/fixtures/prints-first.cjs'];
  const main = 'test/fixtures/programs/runs-first.mjs';
  test.each([
    ['Node', [...required, main], ['main thread', 'worker']],
    ['the pool', [main, ...required], ['worker']],
  ])('by an option of %s', async (_, args, threads) => {
    const { code, stdout, stderr } = await runNode(...args);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').sort()).toEqual(['a 0', 'a 1', ...threads]);
    expect(stderr.trimEnd().split('\n').sort()).toEqual(['a error', ...threads]);
  });
});

test('what tasks print is not kept back while the main thread blocks, even if a required module has printed before', async () => {
  const { code, stdout } = await program('prints-blocked.mjs', '--require', './test/fixtures/prints-first.cjs');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(worker\n)*a task\n/);
  expect(stdout).toContain('\n0 bytes kept back\n');
});

describe('a main module that defines tasks and starts the program', () => {
  test.each([
    ['pool', '55 55\n'],
    ['common', '55\n'],
    ['algorithm', `${(200_000 * 199_999) / 2} 55\n`],
  ])('runs as it should, with one warning that names the cure (%s)', async (how, output) => {
    const { code, stdout, stderr } = await startMain(how);
    expect({ code, stdout }).toEqual({ code: 0, stdout: output });
    expect(stderr.match(/FurcateWarning/g)).toHaveLength(1);
    expect(stderr).toMatch(/Move its tasks into a module of their own/);
  });

  test('runs as it should where the caller can do all of it', async () => {
    const { code, stdout, stderr } = await startMain('sync');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '55 55\n' });
    expect(stderr.match(/FurcateWarning/g) ?? []).toHaveLength(stderr === '' ? 0 : 1);
  });
});

test("a program that Node's permission model keeps from starting threads learns which flag allows it", async () => {
  const [flag] = ['--permission', '--experimental-permission'].filter((name) =>
    process.allowedNodeEnvironmentFlags.has(name),
  ) as [string];
  const { code, stderr } = await runNode(flag, '--allow-fs-read=*', 'test/fixtures/programs/idle.mjs');
  expect(code).toBe(1);
  expect(stderr).toMatch(/furcate: Node's permission model .*--allow-worker/);
});

test('a program that workers import whole, and that fails there, is explained', async () => {
  const { code, stdout, stderr } = await program('server-with-tasks.mjs');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^WorkerCrashError: .*EADDRINUSE.* \(this worker imported file:.*server-with-tasks\.mjs, the program itself\..* if \(isMainThread\) .*\)\. The pool/,
  );
});
