/** Which threads begin asynchronous tasks, in simulated pools: each step, one thread looks whether it begins the next task. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ControlMemory } from '../../../src/core/memory/control.js';
import { layoutOf, slotWord, W_INVOCATION } from '../../../src/core/memory/layout.js';
import { type PlatformHost, registerHost } from '../../../src/core/platform/host.js';
import { SPREAD_MS } from '../../../src/core/tuning.js';
import { NO_INVOCATION, WorkerSlot } from '../../../src/core/worker/worker-slot.js';
import { Spread } from '../../../src/extensions/async/spread.js';

let nowMs = 0;
registerHost(() => ({ nowMs: () => nowMs }) as unknown as PlatformHost);

/** What a thread does in all steps. */
const FREE = 0;
/** It is free as far as words tell, and does not come. */
const DEAF = 1;
/** It computes. */
const BUSY = 2;

interface Member {
  readonly kind: number;
  readonly spread: Spread;
  readonly own: WorkerSlot;
  begun: number;
}

function poolOf(kinds: readonly number[]): Member[] {
  const layout = layoutOf(kinds.length, { ringLog2: 2, recordsPerSlot: 4 });
  const memory = new ControlMemory(new SharedArrayBuffer(layout.totalBytes), layout, 1);
  return kinds.map((kind, k) => {
    const own = new WorkerSlot(memory, k + 1, false);
    own.words[slotWord(layout, k + 1) + W_INVOCATION] = kind === BUSY ? 5 : NO_INVOCATION;
    return { kind, own, spread: new Spread(own), begun: 0 };
  });
}

/** Begins tasks, by threads in this order, until none is left; returns how long that took (ms). */
function begin(pool: readonly Member[], tasks: number, order: readonly number[], stepMs: number): number {
  const free = pool.filter(({ kind }) => kind === FREE);
  const startMs = nowMs;
  for (let left = tasks, step = 0; left > 0; step++) {
    nowMs += stepMs;
    const next = step % 2 === 0 ? step / 2 : (order[step % order.length] as number); // each has its turns
    const member = free[next % free.length] as Member;
    if (member.spread.leaves()) continue;
    member.spread.begins();
    member.spread.waits(1);
    member.begun++;
    left--;
    if (step % 3 === 0) member.spread.turned();
  }
  return nowMs - startMs;
}

const kinds = fc
  .array(fc.constantFrom(FREE, FREE, BUSY), { minLength: 1, maxLength: 6 })
  .map((list) => [...list, FREE]);
const order = fc.array(fc.nat(100), { minLength: 1, maxLength: 50 });

test('threads that are free begin equal shares of a burst of tasks that wait, whichever looks more often', () => {
  fc.assert(
    fc.property(kinds, fc.integer({ min: 1, max: 300 }), order, (list, tasks, looks) => {
      const pool = poolOf(list);
      begin(pool, tasks, looks, 0.0001);
      const free = pool.filter(({ kind }) => kind === FREE).map(({ begun }) => begun);
      const most = Math.max(...free);
      expect(most - Math.min(...free)).toBeLessThanOrEqual(1 + (most >> 4));
    }),
  );
});

test('the more a thread has begun, the longer it leaves a task to one that computes in its event loop', () => {
  const [here, other] = poolOf([FREE, DEAF]) as [Member, Member];
  let begun = 0;
  const untilMs = nowMs + 15; // the other one computes for so long
  for (; nowMs < untilMs; nowMs += 0.01) {
    if (here.spread.leaves()) continue;
    here.spread.begins();
    here.spread.waits(1);
    begun++;
  }
  expect(begun).toBeGreaterThan(4); // it does not wait for the other one for long
  expect(begun).toBeLessThan(15); // after the same moment each time it would begin 48
  while (begun-- > 0) other.spread.waits(1);
  other.spread.turned();
  expect(here.spread.leaves()).toBe(false);
});

test('a thread that is free and does not come delays each task by a moment at most', () => {
  fc.assert(
    fc.property(kinds, fc.integer({ min: 1, max: 100 }), order, (list, tasks, looks) => {
      const pool = poolOf([...list, DEAF]);
      expect(begin(pool, tasks, looks, 0.01)).toBeLessThanOrEqual(tasks * list.length * (16 * SPREAD_MS + 0.05));
    }),
  );
});

test('where tasks end without waiting, a thread leaves none once it has seen some', () => {
  const [here, other] = poolOf([FREE, FREE]) as [Member, Member];
  const runOne = (): void => {
    const turn = here.spread.begins();
    here.spread.waits(1);
    here.spread.isKnown(turn, 'ended');
    here.spread.waits(-1);
  };
  runOne();
  here.spread.turned();
  for (let k = 0; k < 100; k++) {
    here.spread.begins(); // they end in microtasks, which run after all have begun
    here.spread.waits(1);
    expect([here.spread.leaves(), other.spread.leaves()]).toEqual([false, false]);
  }
  here.spread.turned(); // all of them wait, for once
  expect(here.spread.leaves()).toBe(true);
});

test('a coroutine that waits for its own forks does not count, and says nothing of those that fork nothing', () => {
  const [here] = poolOf([FREE, FREE]) as [Member, Member];
  const turn = here.spread.begins();
  here.spread.waits(1);
  expect(here.spread.leaves()).toBe(true);
  here.spread.isKnown(turn, 'forked');
  here.spread.waits(-1);
  expect(here.spread.leaves()).toBe(false);
});
