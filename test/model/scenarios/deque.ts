/**
 * The public deque under an owner and two thieves: every history of calls must be one that a plain list could have had.
 */
import {
  type Capacities,
  type Layout,
  layoutOf,
  ringWord,
  slotWord,
  W_BOTTOM,
  W_TOP,
} from '../../../src/core/memory/layout.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody, ThreadContext } from '../explorer/virtual-thread.js';
import { type Call, isLinearizable } from './linearizability.js';
import { nameWord } from './names.js';

const SLOT = 1;

/** What the owner does, one letter a call: p(ush), o (pop). */
export interface DequeCase {
  readonly name: string;
  readonly capacities: Capacities;
  /** Where the indices start. */
  readonly start: number;
  /** Entries that the ring holds when all begins. */
  readonly filled: number;
  readonly owner: string;
  /** Steals of each thief. */
  readonly thieves: readonly number[];
  /** Is the order of calls in time part of the history? It multiplies the states; without it only each thread's own is. */
  readonly inTime?: boolean;
}

/** A record of calls that the model keeps in two words, so that which call came before which is part of its state. */
class History {
  readonly #context: ThreadContext;
  readonly #word: Int32Array;
  readonly #thread: number;
  readonly #inTime: boolean;
  #calls = 0;

  constructor(context: ThreadContext, words: number, thread: number, inTime: boolean) {
    this.#inTime = inTime;
    this.#context = context;
    this.#word = new Int32Array(context.buffer, 4 * (words - 1), 1);
    this.#thread = thread;
  }

  call(what: string, body: () => number): number {
    const { seam } = this.#context;
    const own = ((1 << this.#calls) - 1) << (8 * this.#thread);
    const before = this.#inTime ? seam.load(this.#word, 0) : own; // which calls had returned
    const result = body();
    if (this.#inTime) seam.or(this.#word, 0, 1 << (8 * this.#thread + this.#calls));
    this.#context.note(JSON.stringify([8 * this.#thread + this.#calls, before, what, result] satisfies Call));
    this.#calls++;
    return result;
  }
}

export function dequeScenario(given: DequeCase): Scenario {
  const layout: Layout = layoutOf(1, given.capacities);
  const words = layout.totalBytes / 4 + 2;
  const top = slotWord(layout, SLOT) + W_TOP;
  const filled = Array.from({ length: given.filled }, (_, k) => 100 + k);

  const owner: ThreadBody = {
    name: 'owner',
    run({ OwnerDeque }: Library, context) {
      const deque = new OwnerDeque(new Int32Array(context.buffer), layout, SLOT);
      const history = new History(context, words, 0, given.inTime !== false);
      let next = 1;
      for (const call of given.owner) {
        if (call === 'o') history.call('pop', () => deque.pop());
        else {
          const entry = next++;
          history.call(`push ${entry}`, () => (deque.tryPush(entry) ? 1 : 0));
        }
      }
    },
  };
  const thief = (index: number, steals: number): ThreadBody => ({
    name: `thief ${index}`,
    run({ ThiefDeque, EMPTY }: Library, context) {
      const deque = new ThiefDeque(new Int32Array(context.buffer), layout, SLOT);
      const history = new History(context, words, index, given.inTime !== false);
      for (let k = 0; k < steals; k++) {
        history.call('steal', () => {
          for (;;) {
            const entry = deque.peek();
            if (entry === EMPTY || deque.tryTake()) return entry;
          }
        });
      }
    },
  });
  const capacity = 2 ** given.capacities.ringLog2;
  return {
    name: given.name,
    words,
    threads: [owner, ...given.thieves.map((steals, k) => thief(k + 1, steals))],
    setUp(cells) {
      cells[top] = given.start;
      cells[slotWord(layout, SLOT) + W_BOTTOM] = given.start + given.filled;
      const ring = ringWord(layout, SLOT);
      for (const [k, entry] of filled.entries()) cells[ring + ((given.start + k) & (capacity - 1))] = entry;
    },
    check({ notes, words: cells }) {
      const calls = notes.flat().map((note) => JSON.parse(note) as Call);
      const size = (cells[slotWord(layout, SLOT) + W_BOTTOM] - cells[top]) | 0;
      if (!isLinearizable(calls, filled, capacity, size)) {
        throw new Error(
          `no order of these calls is right: ${calls.map(([, , what, result]) => `${what} = ${result}`).join(', ')}`,
        );
      }
    },
    nameOf: (at) => (at === words - 1 ? 'history' : nameWord(layout, at)),
  };
}

const ROOMY = { ringLog2: 2, recordsPerSlot: 1 };
const FULL = { ringLog2: 1, recordsPerSlot: 1 };

export const DEQUE_CASES: Readonly<Record<string, Omit<DequeCase, 'name'>>> = {
  'the last entry': { capacities: FULL, start: 0, filled: 1, owner: 'o', thieves: [1, 1] },
  'two entries': { capacities: FULL, start: 5, filled: 2, owner: 'oo', thieves: [1, 1] },
  'pushed and popped': { capacities: ROOMY, start: -1, filled: 0, owner: 'ppo', thieves: [2] },
  'the wrap of 2^31': { capacities: ROOMY, start: 0x7fffffff, filled: 2, owner: 'po', thieves: [1, 1] },
  'the wrap of 2^32': { capacities: ROOMY, start: -1, filled: 1, owner: 'ppo', thieves: [2] },
  'full, at the wrap of 2^31': { capacities: FULL, start: 0x7ffffffe, filled: 2, owner: 'popp', thieves: [1] },
  'much of everything': {
    capacities: ROOMY,
    start: 0x7ffffffe,
    filled: 1,
    owner: 'ppopo',
    thieves: [1, 1],
    inTime: false,
  },
};
