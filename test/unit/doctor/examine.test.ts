import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DoctorOptions, examine } from '../../../src/doctor/examine.js';
import type { Platform } from '../../../src/doctor/platform.js';
import type { DoctorCheck, DoctorCheckName, DoctorReport } from '../../../src/doctor/report.js';
import { screenOf } from '../../../src/doctor/screen.js';
import { healthy, impatient, libraryWith, type PoolCalls } from './healthy.js';

const examined = (
  changes: Partial<Platform>,
  calls: PoolCalls = {},
  options: DoctorOptions = {},
): Promise<DoctorReport> => examine({ ...healthy, ...changes }, async () => libraryWith(calls), options);

const checkOf = (report: DoctorReport, name: DoctorCheckName): DoctorCheck =>
  report.checks.find((check) => check.name === name) as DoctorCheck;

const wanting = (report: DoctorReport): string[] =>
  report.checks.filter(({ verdict }) => verdict !== 'yes').map(({ name }) => name);

const fails =
  (message: string, fields: object = {}) =>
  (): never => {
    throw Object.assign(new Error(message), fields);
  };
const rejects =
  (message: string, fields: object = {}) =>
  async (): Promise<never> =>
    fails(message, fields)();
const never = (): Promise<never> => new Promise(() => {});

test('a platform with everything is well, and every number is there', async () => {
  const report = await examined({});
  expect(report).toMatchObject({
    ok: true,
    runtime: 'Node 24.0.0',
    cores: 8,
    cpuQuota: undefined,
    parallelism: 8,
    parallelismFrom: 'cores',
    sharedMemoryBytes: 2 ** 32,
    heapLimitBytes: 2 ** 31,
  });
  expect(wanting(report)).toEqual([]);
  expect(report.firstResultMs).toBeGreaterThanOrEqual(0);
  expect(report.roundTripUs).toBeGreaterThanOrEqual(0);
});

test('whatever fails or never answers, the report comes, is plain data, and has a reason for each no', async () => {
  const questions = Object.keys(healthy).filter((name) => !['nowMs', 'timer'].includes(name)) as (keyof Platform)[];
  const calls = ['construct', 'ready', 'invoke', 'terminate'] as const;
  const failure = fc.constantFrom('throws', 'hangs');
  const wounded = fc.record(
    {
      questions: fc.uniqueArray(fc.constantFrom(...questions)),
      calls: fc.uniqueArray(fc.tuple(fc.constantFrom(...calls), failure), { selector: ([name]) => name }),
      load: failure,
    },
    { requiredKeys: ['questions', 'calls'] },
  );
  await fc.assert(
    fc.asyncProperty(wounded, async ({ questions, calls, load }) => {
      const broken = Object.fromEntries(questions.map((name) => [name, fails(`no ${name}`)]));
      const how = (name: string, failure: string): unknown =>
        name === 'construct' ? fails('no pool') : failure === 'hangs' ? never : rejects(`no ${name}`);
      const library = libraryWith(Object.fromEntries(calls.map(([name, failure]) => [name, how(name, failure)])));
      const loading = { throws: rejects('no library'), hangs: never } as const;
      const platform = { ...healthy, ...broken, ...impatient };
      const report = await examine(platform, load === undefined ? async () => library : loading[load as 'throws']);
      expect(report.checks).toHaveLength(9);
      expect(report.ok).toBe(!report.checks.some(({ isNeeded, verdict }) => isNeeded && verdict === 'no'));
      for (const { finding, advice } of report.checks) {
        expect(finding).toMatch(/^\S.*\S$/);
        expect(`${finding} ${advice}`).not.toMatch(/furcate:|\[object/);
      }
      expect(JSON.parse(JSON.stringify(report)).checks).toHaveLength(9);
      for (const line of screenOf(report).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    }),
  );
});

describe('what is missing is named, with what to do about it', () => {
  test('isolation of a page', async () => {
    const report = await examined({ isIsolated: () => false, sharedMemory: fails('SharedArrayBuffer is not defined') });
    expect(report.ok).toBe(false);
    expect(wanting(report)).toEqual(['sharedMemory', 'isolation', 'threads', 'roundTrip']);
    const { advice } = checkOf(report, 'isolation');
    expect(advice).toContain('Cross-Origin-Opener-Policy: same-origin');
    expect(advice).toContain('Cross-Origin-Embedder-Policy: require-corp');
    expect(report.parallelism).toBeUndefined();
    const insecure = await examined({ isIsolated: () => false, isSecure: () => false });
    expect(checkOf(insecure, 'isolation').advice).toMatch(/^Load the page by https:/);
  });

  test('shared memory', async () => {
    const report = await examined({ sharedMemory: fails('furcate: the host grants no shared memory') });
    expect(wanting(report)).toEqual(['sharedMemory', 'threads', 'roundTrip']);
    expect(checkOf(report, 'sharedMemory').finding).toContain('grants no shared memory');
    expect(checkOf(report, 'sharedMemory').advice).toContain('ulimit -v');
  });

  test('shared memory that kernels cannot use', async () => {
    const report = await examined({ sharedMemory: () => ({ limitBytes: 2 ** 28, isForKernels: false }) });
    expect(report.ok).toBe(true);
    expect(wanting(report)).toEqual(['wasmThreads']);
    expect(report.sharedMemoryBytes).toBe(2 ** 28);
  });

  test('the library itself', async () => {
    const report = await examine(healthy, rejects('furcate: versions 1 and 2 are loaded.'));
    expect(report.ok).toBe(false);
    expect(checkOf(report, 'threads').finding).toBe('versions 1 and 2 are loaded.');
  });

  test('a worker, whatever was refused to it', async () => {
    const cause = Object.assign(new Error('Requires read access to "core.js"'), { name: 'NotCapable' });
    const denied = await examine(healthy, rejects('furcate: cannot read its own file', { cause }));
    expect(checkOf(denied, 'threads').finding).toBe('Requires read access to "core.js"');
    expect(checkOf(denied, 'threads').advice).toContain('--allow-read');
    const restricted = await examined(
      {},
      { ready: rejects('Access has been restricted', { code: 'ERR_ACCESS_DENIED' }) },
    );
    expect(checkOf(restricted, 'threads').advice).toContain('--allow-worker');
    const explained = await examined(
      {},
      { ready: rejects('furcate: start it with --allow-worker.', { code: 'ERR_ACCESS_DENIED' }) },
    );
    expect(checkOf(explained, 'threads')).toMatchObject({
      verdict: 'no',
      finding: 'start it with --allow-worker.',
      advice: undefined,
    });
    expect(wanting(explained)).toEqual(['threads', 'roundTrip']);
  });

  test('a worker that never comes up, and one that never ends', async () => {
    const silent = await examined(impatient, { ready: never, invoke: never, terminate: never }, { limitMs: 500 });
    expect(checkOf(silent, 'threads').finding).toBe('starting a worker took longer than 0.5 s.');
    expect(silent.ok).toBe(false);
  });

  test('a task that never answers, or fails', async () => {
    const silent = await examined(impatient, { invoke: never });
    expect(checkOf(silent, 'threads').verdict).toBe('yes');
    expect(checkOf(silent, 'roundTrip')).toMatchObject({
      verdict: 'no',
      finding: 'the first task took longer than 10 s.',
    });
    expect(silent.ok).toBe(false);
    const failing = await examined({}, { invoke: rejects('furcate: a task ended.') });
    expect(checkOf(failing, 'roundTrip').finding).toBe('a task ended.');
    expect(failing.ok).toBe(false);
  });

  test('WebAssembly that a policy forbids', async () => {
    const report = await examined({ compileWasm: fails('violates the Content Security Policy') });
    expect(report.ok).toBe(true);
    expect(wanting(report)).toEqual(['wasmThreads', 'wasmSimd']);
    expect(checkOf(report, 'wasmSimd').advice).toMatch(/'wasm-unsafe-eval'.*same results/);
  });

  test.each([
    ['blocking', { block: fails('Atomics.wait cannot be called in this context') }, 'Sync forms work in workers'],
    ['waitAsync', { hasWaitAsync: () => false }, 'Messages'],
    ['wasmSimd', { validates: (module: Uint8Array) => !module.includes(253) }, 'same results'],
    ['wasmThreads', { validates: (module: Uint8Array) => module.includes(253) }, 'same results'],
    ['inlineFunctions', { compileText: fails('unsafe-eval') }, 'Pass forkables'],
  ] as const)('%s, which has a way around it', async (name, changes, advice) => {
    const report = await examined(changes as Partial<Platform>);
    expect(report.ok).toBe(true);
    expect(wanting(report)).toEqual([name]);
    expect(checkOf(report, name).advice).toContain(advice);
  });
});

describe('the default parallelism comes from', () => {
  test.each([
    ['FURCATE_PARALLELISM', { environment: (name: string) => (name === 'FURCATE_PARALLELISM' ? '3' : undefined) }],
    ['quota', { quota: (): number => 2 }],
    ['cores', { quota: (): number => 16 }],
    ['cores', { environment: () => '' }],
    ['cores', { environment: fails('Requires env access') }],
  ] as const)('%s', async (from, changes) => {
    expect((await examined(changes as Partial<Platform>)).parallelismFrom).toBe(from);
  });

  test('a variable that is wrong, and the report says so', async () => {
    const report = await examined(
      {},
      { construct: fails('furcate: the environment variable FURCATE_PARALLELISM must be') },
    );
    expect(checkOf(report, 'threads').finding).toMatch(/^the environment variable/);
  });
});

test('the pool that is tried has the options of the program, and two threads at most', async () => {
  const seen: unknown[] = [];
  const createWorker = (): void => {};
  await examined({}, { construct: (options) => seen.push(options) }, { pool: { createWorker } });
  expect(seen).toEqual([{ createWorker }, { createWorker, parallelism: 2, name: 'furcate-doctor' }]);
});

test('a limit that is none is refused', async () => {
  for (const limitMs of [0, -1, Number.NaN, '5' as never])
    await expect(examined({}, {}, { limitMs })).rejects.toThrow(
      /^furcate: doctor\(options\): limitMs must be more than 0/,
    );
});
