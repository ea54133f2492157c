/** Who is woken: sleepers are slots of a control memory, whose words the test sets as `sleep` does. */
import { beforeEach, describe, expect, test } from 'vitest';
import { add, load, notify, store, sub } from '../../../../src/core/memory/atomics.js';
import { ControlMemory } from '../../../../src/core/memory/control.js';
import {
  C_SEARCHERS,
  C_SLEEPERS,
  CALLER_SLOT,
  layoutOf,
  REQUEST_ROOT,
  STATE_IDLE,
  STATE_JOINING,
  STATE_RUNNING,
  STATE_WAITING,
  slotWord,
  W_EVENT,
  W_INVOCATION,
  W_REQUESTS,
  W_STATE,
} from '../../../../src/core/memory/layout.js';
import { host, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import {
  eventOf,
  feedSleepers,
  sleep,
  sleepInLoop,
  wakeForRoot,
  wakeHelper,
  wakeLast,
  wakeOne,
  wakeSlot,
} from '../../../../src/core/worker/sleep.js';
import { NO_INVOCATION, WorkerSlot } from '../../../../src/core/worker/worker-slot.js';

registerHost(detectNode);

const WORKERS = 3;
let memory: ControlMemory;

function makeMemory(parallelism: number): void {
  const layout = layoutOf(parallelism, { ringLog2: 4, recordsPerSlot: 16 });
  memory = new ControlMemory(new SharedArrayBuffer(layout.totalBytes), layout, 1);
}

beforeEach(() => makeMemory(WORKERS));

const at = (slot: number, word: number): number => slotWord(memory.layout, slot) + word;

/** As `sleep` does it, up to the wait. */
function fallAsleep(slot: number, state: number, invocation = NO_INVOCATION): void {
  store(memory.words, at(slot, W_STATE), state);
  store(memory.words, at(slot, W_INVOCATION), invocation);
  if (state !== STATE_WAITING) add(memory.words, C_SLEEPERS, 1);
}

/** The slots that were woken since they fell asleep, and how many sleepers are left. */
const woken = (): { slots: number[]; left: number } => ({
  slots: Array.from({ length: memory.slots }, (_, slot) => slot).filter(
    (slot) => load(memory.words, at(slot, W_EVENT)) > 0,
  ),
  left: load(memory.words, C_SLEEPERS),
});

describe('a publisher', () => {
  test('wakes one idle worker, and says so', () => {
    fallAsleep(2, STATE_IDLE);
    fallAsleep(3, STATE_IDLE);
    expect(wakeOne(memory, 7)).toBe(true);
    expect(woken()).toEqual({ slots: [2], left: 1 });
    expect(load(memory.words, at(2, W_STATE))).toBe(STATE_RUNNING);
    expect(wakeOne(memory, 7)).toBe(true);
    expect(woken()).toEqual({ slots: [2, 3], left: 0 });
  });

  test('wakes nobody while a thread searches, or nobody sleeps', () => {
    expect(wakeOne(memory, 7)).toBe(false);
    fallAsleep(1, STATE_IDLE);
    add(memory.words, C_SEARCHERS, 1);
    expect(wakeOne(memory, 7)).toBe(false);
    expect(woken()).toEqual({ slots: [], left: 1 });
  });

  test('wakes a join of the same invocation if no worker is idle', () => {
    fallAsleep(1, STATE_JOINING, 6);
    fallAsleep(2, STATE_JOINING, 7);
    expect(wakeOne(memory, 7)).toBe(false);
    expect(woken()).toEqual({ slots: [2], left: 1 });
    expect(wakeOne(memory, 7)).toBe(false);
    expect(woken()).toEqual({ slots: [2], left: 1 });
  });

  test('leaves those that wait for one event alone', () => {
    fallAsleep(1, STATE_WAITING, 7);
    fallAsleep(2, STATE_IDLE);
    expect(wakeOne(memory, 7)).toBe(true);
    expect(woken()).toEqual({ slots: [2], left: 0 });
  });
});

describe('a root that should not wait', () => {
  const asked = (): boolean[] =>
    Array.from({ length: WORKERS + 1 }, (_, slot) => (load(memory.words, at(slot, W_REQUESTS)) & REQUEST_ROOT) !== 0);

  test('asks all workers to give way, and wakes an idle one', () => {
    fallAsleep(1, STATE_JOINING, 6);
    fallAsleep(2, STATE_IDLE);
    wakeForRoot(memory);
    expect(asked()).toEqual([false, true, true, true]);
    expect(woken()).toEqual({ slots: [2], left: 1 });
  });

  test('wakes a join of any invocation if no worker is idle', () => {
    fallAsleep(2, STATE_JOINING, 6);
    wakeForRoot(memory);
    expect(woken()).toEqual({ slots: [2], left: 0 });
  });

  test('leaves the search to those who search', () => {
    fallAsleep(2, STATE_IDLE);
    add(memory.words, C_SEARCHERS, 1);
    wakeForRoot(memory);
    expect(asked()).toEqual([false, true, true, true]);
    expect(woken()).toEqual({ slots: [], left: 1 });
  });
});

describe('a caller that begins to compute', () => {
  test('wakes any idle worker but the last, which makes room for the caller', () => {
    fallAsleep(WORKERS, STATE_IDLE);
    wakeHelper(memory);
    expect(woken()).toEqual({ slots: [], left: 1 });
    fallAsleep(2, STATE_IDLE);
    wakeHelper(memory);
    expect(woken()).toEqual({ slots: [2], left: 1 });
  });

  test('wakes nobody while a thread searches, or where it is the only thread', () => {
    fallAsleep(1, STATE_IDLE);
    add(memory.words, C_SEARCHERS, 1);
    wakeHelper(memory);
    expect(woken()).toEqual({ slots: [], left: 1 });
    makeMemory(1);
    fallAsleep(CALLER_SLOT, STATE_IDLE);
    wakeHelper(memory);
    expect(woken()).toEqual({ slots: [], left: 1 });
  });

  test('wakes the last worker at its end, if that waits for it', () => {
    for (const state of [STATE_RUNNING, STATE_IDLE]) {
      store(memory.words, at(WORKERS, W_STATE), state);
      wakeLast(memory);
      expect(woken().slots).toEqual([]);
    }
    fallAsleep(WORKERS, STATE_WAITING);
    wakeLast(memory);
    expect(woken().slots).toEqual([WORKERS]);
  });
});

describe('a sleeper', () => {
  let own: WorkerSlot;
  beforeEach(() => {
    own = new WorkerSlot(memory, 1, false);
  });
  const state = (): number => load(memory.words, own.stateWord);
  const sleepers = (): number => load(memory.words, C_SLEEPERS);
  const sleeps = (): number => own.counters.read().sleeps;

  test.each([
    ['a publisher may wake', STATE_IDLE, 1],
    ['a publisher may wake in a join', STATE_JOINING, 1],
    ['waits for one event', STATE_WAITING, 0],
  ])('that %s is registered at its last look, and not afterwards', async (_, as, counted) => {
    const seen: number[][] = [];
    const look = (): boolean => {
      seen.push([state(), sleepers()]);
      return true;
    };
    sleep(own, as, 1000, eventOf(own), look);
    await sleepInLoop(own, as, eventOf(own), look, () => {
      throw new Error('it has something to do');
    });
    expect(seen).toEqual([
      [as, counted],
      [as, counted],
    ]);
    expect([state(), sleepers(), sleeps()]).toEqual([STATE_RUNNING, 0, 0]);
  });

  test('that is woken between its last look and its wait does not wait', () => {
    const event = eventOf(own);
    sleep(own, STATE_IDLE, 1_000_000, event, () => {
      expect(wakeOne(memory, NO_INVOCATION)).toBe(true);
      return false;
    });
    expect([state(), sleepers(), sleeps()]).toEqual([STATE_RUNNING, 0, 1]);
  });

  test('on its event loop waits until it is woken', async () => {
    const asleep = sleepInLoop(
      own,
      STATE_IDLE,
      eventOf(own),
      () => false,
      () => () => {},
    );
    expect([state(), sleepers(), sleeps()]).toEqual([STATE_IDLE, 1, 1]);
    expect(wakeOne(memory, NO_INVOCATION)).toBe(true);
    await asleep;
    expect([state(), sleepers()]).toEqual([STATE_RUNNING, 0]);
  });

  test('on its event loop is woken by another reason, or early, and the next sleep lasts until its own waker comes', async () => {
    const event = eventOf(own);
    let ends = 0;
    const sleepOn = (reason: Promise<void>): Promise<void> =>
      sleepInLoop(
        own,
        STATE_IDLE,
        event,
        () => false,
        (wake) => {
          void reason.then(wake);
          return () => void ends++;
        },
      );
    const never = new Promise<void>(() => {});
    await sleepOn(Promise.resolve());
    const early = sleepOn(never);
    notify(memory.words, own.eventWord); // as a waker of before, whose new value the thread has read before it slept
    await early;
    let isWoken = false;
    const last = sleepOn(never).then(() => {
      isWoken = true;
    });
    for (let turn = 0; turn < 3; turn++) await host().turn();
    expect([isWoken, ends]).toEqual([false, 2]);
    wakeSlot(memory, own.slot);
    await last;
    expect(ends).toBe(3);
  });

  test('asks for a steal from the thread that enters an invocation meanwhile', () => {
    feedSleepers(own);
    expect(load(memory.words, own.requestsWord)).toBe(0);
    fallAsleep(2, STATE_IDLE);
    feedSleepers(own);
    expect(load(memory.words, own.requestsWord)).not.toBe(0);
    sub(memory.words, C_SLEEPERS, 1);
  });
});
