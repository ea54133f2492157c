/** Bugs planted in the public deque; all.ts says how. */
import type { Mutation } from './mutation.js';

const DEQUE = 'src/core/deque/public-deque.ts';

export const DEQUE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'push publishes the index before the entry (O1)',
    file: DEQUE,
    from: `    words[this.#ring + (bottom & this.#mask)] = entry; // plain: before O1 no thief reads index \`bottom\`
    store(words, this.#bottom, (bottom + 1) | 0); // O1: publishes the entry; pairs with ThiefDeque.peek`,
    to: `    store(words, this.#bottom, (bottom + 1) | 0);
    words[this.#ring + (bottom & this.#mask)] = entry;`,
    caughtBy: 'deque: pushed and popped',
  },
  {
    name: 'pop reads the top before it lowers the bottom (O2)',
    known: 'the Chase-Lev deque without the fence that Le et al. (2013) put into its take',
    file: DEQUE,
    from: `    store(words, this.#bottom, bottom); // O2: before top is read; pairs with peek's top before bottom
    const top = load(words, this.#top);`,
    to: `    const top = load(words, this.#top);
    store(words, this.#bottom, bottom);`,
    caughtBy: 'deque: two entries',
  },
  {
    name: 'a thief reads the bottom before the top (O2)',
    known: 'the order of loads in steal that Le et al. (2013) prove necessary',
    file: DEQUE,
    from: `    const top = load(words, this.#base + W_TOP); // O2: top before bottom
    const bottom = load(words, this.#base + W_BOTTOM); // O1`,
    to: `    const bottom = load(words, this.#base + W_BOTTOM);
    const top = load(words, this.#base + W_TOP);`,
    caughtBy: 'deque: two entries',
  },
  {
    name: 'the owner takes the last entry without a compareExchange (O3)',
    file: DEQUE,
    from: '    if (left > 0) return entry;',
    to: '    if (left >= 0) return entry;',
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'a thief moves the top without a compareExchange (O3)',
    known: 'crossbeam-deque CVE-2021-32810: a task taken twice, another never',
    file: DEQUE,
    from: 'return compareExchange(this.#words, this.#base + W_TOP, top, (top + 1) | 0) === top; // O3',
    to: 'return load(this.#words, this.#base + W_TOP) === top && store(this.#words, this.#base + W_TOP, (top + 1) | 0) !== EMPTY - 1;',
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'pop of an empty deque leaves the bottom below the top',
    file: DEQUE,
    from: `      store(words, this.#bottom, (bottom + 1) | 0);
      return EMPTY;`,
    to: '      return EMPTY;',
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'pop that lost the last entry leaves the bottom below the top',
    file: DEQUE,
    from: `    store(words, this.#bottom, (bottom + 1) | 0);
    return won ? entry : EMPTY;`,
    to: `    if (won) store(words, this.#bottom, (bottom + 1) | 0);
    return won ? entry : EMPTY;`,
    caughtBy: 'deque: the last entry',
  },
  {
    name: 'a full ring is written over (I3)',
    file: DEQUE,
    from: 'if (((bottom - top) | 0) > this.#mask)',
    to: 'if (((bottom - top) | 0) > this.#mask + 1)',
    caughtBy: 'deque: full, at the wrap of 2^31',
  },
  {
    name: 'push compares indices that wrap without the wrap',
    known: 'Tokio #5041: counters of the queue that wrap',
    file: DEQUE,
    from: 'if (((bottom - top) | 0) > this.#mask)',
    to: 'if (bottom - top > this.#mask)',
    caughtBy: 'deque: full, at the wrap of 2^31',
  },
  {
    name: 'a thief compares indices that wrap without the wrap',
    known: 'Tokio #5041: counters of the queue that wrap',
    file: DEQUE,
    from: 'if (((bottom - top) | 0) <= 0) return EMPTY;',
    to: 'if (bottom <= top) return EMPTY;',
    caughtBy: 'deque: the wrap of 2^31',
  },
];
