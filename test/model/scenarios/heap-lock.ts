/** The lock of the shared heap: one holder at a time, nobody left asleep, and a dead holder's section is known as torn. */
import { W_LOCK, W_TORN } from '../../../src/core/memory/heap-layout.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';

const WORDS = 64;
/** Words that the sections use: a counter that is read and written plainly, one for each thread that has died. */
const COUNTER = 48;
const DEAD = 50;

/** Adds one under the lock, so often. */
const adder = (thread: number, turns: number): ThreadBody => ({
  name: `thread ${thread}`,
  run({ HeapLock }, { seam, buffer, note }) {
    const words = new Int32Array(buffer);
    const lock = new HeapLock(words, thread);
    lock.isDead = (other) => seam.load(words, DEAD + other) === 1;
    for (let turn = 0; turn < turns; turn++) {
      lock.acquire();
      if (seam.read(words, W_TORN) !== 0) {
        note('torn');
        seam.write(words, W_TORN, 0);
      }
      seam.write(words, COUNTER, seam.read(words, COUNTER) + 1);
      lock.release();
    }
  },
});

/** Ends thread 0 at any moment, and says so. */
const reaper: ThreadBody = {
  name: 'reaper',
  run(_library, { seam, buffer, kill, note }) {
    const words = new Int32Array(buffer);
    kill(0);
    if ((seam.load(words, W_LOCK) & 0x7fff_ffff) === 1) note('held');
    seam.store(words, DEAD, 1);
  },
};

const nameOf = (at: number): string =>
  ({ [W_LOCK]: 'W_LOCK', [W_TORN]: 'W_TORN', [COUNTER]: 'counter' })[at] ?? `word ${at}`;

/** A lost mark costs a slice of 2 ms, as the README says: sleeps may end when nobody else can go on. */
const timeouts = { upToMs: 2, most: 0 };

export function lockScenario(turns: readonly number[]): Scenario {
  const total = turns.reduce((sum, count) => sum + count, 0);
  return {
    name: `the heap's lock, taken ${turns.join(' + ')} times`,
    words: WORDS,
    threads: turns.map((count, thread) => adder(thread, count)),
    timeouts,
    setUp() {},
    check({ words }) {
      if (words[COUNTER] !== total) throw new Error(`counted ${words[COUNTER]}, not ${total}`);
      if (words[W_LOCK] !== 0) throw new Error('the lock is held at the end');
    },
    nameOf,
  };
}

export const dyingHolder = (): Scenario => ({
  name: "the heap's lock, whose holder dies at any moment",
  words: WORDS,
  threads: [adder(0, 1), adder(1, 1), reaper],
  timeouts,
  setUp() {},
  check({ words, notes }) {
    const torn = notes[1].includes('torn');
    const wasTaken = (words[W_LOCK] & 0x7fff_ffff) !== 1; // by somebody after the death
    if (notes[2].includes('held') && wasTaken && !torn) throw new Error('a section was cut off, and nobody was told');
    // Thread 0 died before its section, in it, or after it.
    if (!torn && words[COUNTER] !== 1 && words[COUNTER] !== 2) throw new Error(`counted ${words[COUNTER]}`);
    if ((words[W_LOCK] & 0x7fff_ffff) > 1) throw new Error('the survivor holds the lock at the end');
  },
  nameOf,
});
