/** The explorer itself, on programs whose outcomes are known. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Contention } from './explorer/contention.js';
import { Explorer } from './explorer/explorer.js';
import { loadSource } from './explorer/load-source.js';
import type { Scenario } from './explorer/scenario.js';
import { LOAD, STORE } from './explorer/seam.js';
import type { ThreadContext } from './explorer/virtual-thread.js';

type Body = (words: Int32Array, context: ThreadContext) => void;

const makeCopy = await loadSource();

/** Runs bodies on eight words; what `check` is given at the end of each schedule is returned, sorted, without repeats. */
function outcomes(bodies: readonly Body[], bound?: number, changes: Partial<Scenario> = {}): string[] {
  const seen = new Set<string>();
  const scenario: Scenario = {
    name: 'a program',
    words: 8,
    threads: bodies.map((body, k) => ({
      name: `thread ${k}`,
      run: (_library, context) => body(new Int32Array(context.buffer), context),
    })),
    setUp() {},
    check: ({ notes, words }) => void seen.add(`${notes.flat().join(' ')} | ${words.slice(0, 2).join(' ')}`),
    ...changes,
  };
  new Explorer(scenario, makeCopy, bound).explore();
  return [...seen].sort();
}

const plainIncrement: Body = (words, { seam }) => {
  seam.write(words, 0, seam.read(words, 0) + 1);
};

describe('the explorer', () => {
  test('finds the update that is lost between a plain read and a plain write', () => {
    expect(outcomes([plainIncrement, plainIncrement])).toEqual([' | 1 0', ' | 2 0']);
  });

  test('finds none where the increment is atomic', () => {
    const increment: Body = (words, { seam }) => void seam.add(words, 0, 1);
    expect(outcomes([increment, increment, increment])).toEqual([' | 3 0']);
  });

  test('knows the outcomes of store buffering under sequential consistency', () => {
    const side =
      (mine: number): Body =>
      (words, { seam, note }) => {
        seam.store(words, mine, 1);
        note(String(seam.load(words, 1 - mine)));
      };
    expect(outcomes([side(0), side(1)])).toEqual(['0 1 | 1 1', '1 0 | 1 1', '1 1 | 1 1']);
  });

  test('counts the schedules that its states stand for', () => {
    const twice: Body = (words, { seam }) => {
      seam.store(words, 0, 1);
      seam.store(words, 0, 2);
    };
    const scenario = { name: 'two stores each', words: 8, setUp() {}, check() {} };
    const threads = [0, 1].map((k) => ({
      name: `thread ${k}`,
      run: (_: unknown, context: ThreadContext) => twice(new Int32Array(context.buffer), context),
    }));
    // Two threads of two steps, and the step from the start to the first store, which is one of its own.
    expect(new Explorer({ ...scenario, threads }, makeCopy).explore().schedules).toBeGreaterThanOrEqual(6);
  });

  test('runs only the orders of whole threads when it may not preempt', () => {
    expect(outcomes([plainIncrement, plainIncrement], 0)).toEqual([' | 2 0']);
  });

  test('finds a wake-up that is lost between the look and the sleep', () => {
    const sleeper: Body = (words, { seam }) => {
      if (seam.load(words, 0) === 0) seam.wait(words, 1, 0);
    };
    const waker: Body = (words, { seam }) => {
      seam.store(words, 0, 1);
      seam.notify(words, 1);
    };
    expect(() => outcomes([sleeper, waker])).toThrow(/thread 0: asleep for ever/);
  });

  test('finds a thread that spins for ever', () => {
    const spinner: Body = (words, { seam }) => {
      while (seam.load(words, 0) === 0);
    };
    expect(() => outcomes([spinner, (words, { seam }) => void seam.store(words, 0, 1)])).toThrow(/it spins/);
  });

  test('lets a short wait end when nobody else can go on, and no other', () => {
    const sleeper =
      (ms: number): Body =>
      (words, { seam, note }) =>
        note(seam.wait(words, 0, 0, ms));
    const timeouts = { upToMs: 2, most: 0 };
    expect(outcomes([sleeper(2)], undefined, { timeouts })).toEqual(['timed-out | 0 0']);
    expect(() => outcomes([sleeper(3)], undefined, { timeouts })).toThrow(/asleep for ever/);
  });

  test('reports a body that throws, a rule that is broken and a write past the seam', () => {
    const throws: Body = () => {
      throw new Error('on purpose');
    };
    expect(() => outcomes([throws])).toThrow(/thread 0 threw Error: on purpose/);
    const monitor = (): void => {
      throw new Error('not allowed');
    };
    const swallows: Body = (words, { seam }) => {
      try {
        seam.store(words, 0, 1);
      } catch (error) {
        seam.pass(error);
      }
    };
    expect(() => outcomes([swallows], undefined, { monitor })).toThrow(/not allowed/);
    expect(() => outcomes([(words) => void words.fill(1)])).toThrow(/past the seam/);
  });

  test('kills a thread at every point', () => {
    const steps: Body = (words, { seam }) => {
      seam.store(words, 0, 1);
      seam.store(words, 0, 2);
    };
    const reader: Body = (words, { seam, kill }) => {
      kill(0);
      seam.load(words, 0);
    };
    expect(outcomes([steps, reader])).toEqual([' | 0 0', ' | 1 0', ' | 2 0']);
  });
});

test('contention says that it has learned when an earlier access would be answered in another way by now, and only then', () => {
  const access = fc.record({ thread: fc.nat(3), kind: fc.constantFrom(LOAD, STORE), at: fc.nat(1) });
  fc.assert(
    fc.property(fc.array(access, { maxLength: 12 }), (accesses) => {
      const contention = new Contention(2);
      const answers = accesses.map(({ thread, kind, at }) => contention.isContended(thread, kind, at));
      const { learned } = contention;
      const now = accesses.map(({ thread, kind, at }) => contention.isContended(thread, kind, at));
      expect(learned).toBe(String(now) !== String(answers));
    }),
    { numRuns: 1000 },
  );
});
