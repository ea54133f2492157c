/** Stalls as the watch sees them: who is reported, when, how often, and which cause it is given. */
import { expect, test } from 'vitest';
import type { LimitWait } from '../../../../src/core/observe/limit-wait.js';
import type { RunningTask, Stall, StallHome, ThreadView } from '../../../../src/core/pool/stall.js';
import { StallWatch } from '../../../../src/insight/stalls/watch.js';

const STALL_MS = 100;

/** A pool of two workers and a spare (slots 1, 2 and 4), which does what the test says. */
class Pool implements StallHome {
  readonly stalls: Stall[] = [];
  readonly warnings: string[] = [];
  readonly asked: number[] = [];
  readonly threads = new Map<number, { -readonly [K in keyof ThreadView]: ThreadView[K] }>();
  readonly tasks = new Map<number, RunningTask>();
  readonly settings: StallHome['settings'];
  waiting = 0;
  done = 0;
  inSections = 0;
  limited = (): LimitWait[] => [];
  ms = 1000;
  allCpuMs: number | undefined = 5000;
  /** Of each thread; nothing of those whose time the platform does not tell. */
  readonly cpuMsOf = new Map<number, number>();
  #lookMs = 1000;
  readonly #watch: StallWatch;

  constructor({ listens = true } = {}) {
    const onStall = (stall: Stall): void => void this.stalls.push(stall);
    this.settings = {
      name: 'shop',
      stallMs: STALL_MS,
      parallelism: 2,
      maxSpares: 1,
      onStall: listens ? onStall : undefined,
    };
    for (const slot of this.slots()) this.threads.set(slot, { computes: false, isAsked: false, isInSection: false });
    this.#watch = new StallWatch(this);
  }

  nowMs = (): number => this.ms;
  othersCpuMs = (): number | undefined => this.allCpuMs;
  cpuMs = (slot: number): number | undefined => this.cpuMsOf.get(slot);
  slots = (): number[] => [1, 2, 4];
  thread = (slot: number): ThreadView => this.threads.get(slot) as ThreadView;
  running = (slot: number): RunningTask => this.tasks.get(slot) as RunningTask;
  queued = (): number => this.waiting;
  lateMs = (): number => this.ms - this.#lookMs;
  ended = (): number => this.done;
  blocked = (): number => this.inSections;
  limits = (): LimitWait[] => this.limited();
  stack = async (slot: number): Promise<string> => `    at task of slot ${slot}`;
  warn = (message: string): void => void this.warnings.push(message);
  ask(slot: number): void {
    this.asked.push(slot);
    Object.assign(this.thread(slot), { isAsked: true });
  }

  /** A thread begins a task. */
  run(slot: number, task: string, key = task): void {
    Object.assign(this.thread(slot), { computes: true, isAsked: false });
    this.tasks.set(slot, { task, module: 'file:///tasks.mjs', invocation: 'work', sinceMs: this.ms, key });
  }

  /** A thread forks, joins, calls `checkpoint` or looks for work. */
  answer(slot: number): void {
    Object.assign(this.thread(slot), { isAsked: false });
  }

  /** Time passes, in which the other threads use so much of a processor, and some of them so much each. @returns the causes that were reported */
  pass(ms: number, share = 0, own: Readonly<Record<number, number>> = {}): string[] {
    const before = this.stalls.length;
    for (let left = ms; left > 0; left -= STALL_MS / 4) {
      this.ms += STALL_MS / 4;
      if (this.allCpuMs !== undefined) this.allCpuMs += (STALL_MS / 4) * share;
      for (const [slot, part] of Object.entries(own))
        this.cpuMsOf.set(Number(slot), (this.cpuMsOf.get(Number(slot)) ?? 70) + (STALL_MS / 4) * part);
      this.#watch.look();
      this.#lookMs = this.ms;
    }
    return this.stalls.slice(before).map(({ cause }) => cause);
  }
}

test('a task that computes for too long is reported once, with all that is known of it', () => {
  const pool = new Pool();
  pool.waiting = 2;
  pool.pass(25);
  pool.run(2, 'crunch');
  expect(pool.pass(100, 1)).toEqual([]);
  expect(pool.pass(25, 1)).toEqual(['computes']);
  expect(pool.pass(1000, 1)).toEqual([]);
  expect(pool.stalls).toEqual([
    {
      pool: 'shop',
      worker: 2,
      task: 'crunch',
      module: 'file:///tasks.mjs',
      invocation: 'work',
      ms: 125,
      waiting: 2,
      cause: 'computes',
      message:
        "furcate: worker 2 of pool 'shop' has run crunch of file:///tasks.mjs, for work for 0.1 s without a fork, join or checkpoint() while 2 invocations wait: the thread computes, so call checkpoint() in the loop of the task, fork smaller tasks, or give the pool more threads.",
    },
  ]);
});

test('a thread that answers is no stall, however long its task takes', () => {
  const pool = new Pool();
  pool.run(1, 'crunch');
  for (let k = 0; k < 10; k++) {
    expect(pool.pass(75, 1)).toEqual([]);
    pool.answer(1);
  }
});

test('a task that answers late is reported once, and the next task anew', () => {
  const pool = new Pool();
  pool.run(1, 'crunch');
  expect(pool.pass(200, 1)).toEqual(['computes']);
  pool.answer(1);
  expect(pool.pass(300, 1)).toEqual([]);
  pool.run(1, 'crunch', 'another');
  expect(pool.pass(300, 1)).toEqual(['computes']);
});

test('a thread that sleeps does not stall', () => {
  const pool = new Pool();
  pool.run(1, 'joins');
  Object.assign(pool.thread(1), { computes: false });
  expect(pool.pass(1000)).toEqual([]);
});

test('the processor time tells a thread that blocks from one that computes, where it can', () => {
  const blocks = new Pool();
  blocks.run(1, 'reads');
  expect(blocks.pass(200, 0.01)).toEqual(['blocks']);

  const slow = new Pool(); // on a busy machine
  slow.run(1, 'crunch');
  expect(slow.pass(200, 0.3)).toEqual(['computes']);

  const both = new Pool();
  both.run(1, 'crunch');
  both.run(2, 'crunch');
  expect(both.pass(200, 1.9)).toEqual(['computes', 'computes']);

  const either = new Pool();
  either.run(1, 'crunch');
  either.run(2, 'reads');
  expect(either.pass(200, 1)).toEqual(['unknown', 'unknown']);

  const untold = new Pool();
  untold.allCpuMs = undefined;
  untold.run(1, 'crunch');
  expect(untold.pass(200)).toEqual(['unknown']);
});

test('where the platform tells the time of each thread, each one has its own cause', () => {
  const pool = new Pool();
  pool.pass(25, 0, { 1: 0, 2: 0 }); // slot 4 is of a thread that it does not tell
  for (const slot of pool.slots()) pool.run(slot, `task ${slot}`);
  pool.pass(200, 1.3, { 1: 1, 2: 0.01 });
  expect(pool.stalls.map(({ task, cause }) => [task, cause])).toEqual([
    ['task 1', 'computes'],
    ['task 2', 'blocks'],
    ['task 4', 'unknown'],
  ]);
});

test('a blocking section stalls only if no spare computes in its place', () => {
  const pool = new Pool();
  pool.run(1, 'waits');
  pool.run(2, 'waits', 'other');
  for (const slot of [1, 2]) Object.assign(pool.thread(slot), { isInSection: true });
  pool.inSections = 1;
  expect(pool.pass(500)).toEqual([]);
  pool.inSections = 2;
  expect(pool.pass(500)).toEqual(['no spare', 'no spare']);
  expect(pool.stalls[0]?.message).toMatch(/blocking\(\) section for which maxSpares = 1 leaves no spare thread: raise/);
});

test('spares are numbered after the workers', () => {
  const pool = new Pool();
  pool.run(4, 'crunch');
  pool.pass(200, 1);
  expect(pool.stalls.map(({ worker }) => worker)).toEqual([3]);
});

test('a caller that is busy while results wait for it is reported once', () => {
  const pool = new Pool();
  pool.pass(50);
  pool.ms += 500;
  expect(pool.pass(25)).toEqual([]); // nothing waited
  pool.done = 1;
  pool.ms += 500;
  expect(pool.pass(25)).toEqual(['caller']);
  pool.ms += 500;
  expect(pool.pass(25)).toEqual([]);
  expect(pool.stalls[0]).toMatchObject({ worker: 0, waiting: 1 });
  expect(pool.stalls[0]?.message).toMatch(
    /^furcate: the event loop of the thread that owns pool 'shop' was busy for 0\.5 s, while 1 result of the pool waited for it: do not/,
  );
});

test('the stack of a stalled thread is asked for when somebody wants it', async () => {
  const pool = new Pool();
  pool.run(2, 'crunch');
  pool.pass(200, 1);
  expect(await pool.stalls[0]?.stack()).toBe('    at task of slot 2');
});

test('tasks that wait for a limit while no thread computes are reported once, and not while permits go round', () => {
  const pool = new Pool();
  const key = {};
  const sinceMs = pool.ms;
  let givenMs = pool.ms;
  pool.run(1, 'crunch');
  pool.limited = () => {
    const [waitedMs, ungivenMs] = [pool.ms - sinceMs, pool.ms - givenMs];
    return [{ key, name: 'database', waiting: 3, waitedMs, ungivenMs }];
  };
  expect(pool.pass(75, 1)).toEqual([]);
  pool.answer(1);
  Object.assign(pool.thread(1), { computes: false });
  expect(pool.pass(100)).toEqual([]);
  givenMs = pool.ms; // another task has got a permit
  expect(pool.pass(75)).toEqual([]);
  expect(pool.pass(50)).toEqual(['limit']);
  expect(pool.pass(500)).toEqual([]);
  expect(pool.stalls[0]).toMatchObject({ worker: 0, task: 'database', waiting: 3 });
  expect(pool.stalls[0]?.message).toMatch(
    /^furcate: 3 tasks have waited for database for 0\.3 s, and no thread of pool 'shop' computes meanwhile: what holds its permits waits,/,
  );
});

test('without a listener the process is warned once, and only if invocations wait', () => {
  const pool = new Pool({ listens: false });
  pool.run(1, 'crunch');
  pool.pass(500, 1);
  expect(pool.warnings).toEqual([]);
  pool.waiting = 1;
  pool.run(1, 'crunch', 'second');
  pool.run(2, 'crunch', 'third');
  pool.pass(500, 2);
  expect(pool.warnings).toEqual([
    expect.stringMatching(/^furcate: worker 1 of pool 'shop' .* while 1 invocation waits: /),
  ]);
});

test('a thread is asked once until it has answered', () => {
  const pool = new Pool();
  pool.pass(500);
  expect(pool.asked).toEqual([]); // a thread that sleeps is not asked
  pool.run(1, 'crunch');
  pool.run(4, 'crunch');
  pool.pass(500);
  expect(pool.asked).toEqual([1, 4]);
  pool.answer(4);
  pool.pass(500);
  expect(pool.asked).toEqual([1, 4, 4]);
});
