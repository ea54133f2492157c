/** Bugs planted in the units of scans and filters; all.ts says how. */
import type { Mutation } from './mutation.js';

const CHAIN = 'src/algorithms/schedule/lookback.ts';

export const CHAIN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a unit is taken by a load and a store',
    file: CHAIN,
    from: 'add(control, W_NEXT, unitBlocks);',
    to: 'load(control, W_NEXT);\n  store(control, W_NEXT, first + unitBlocks);',
    caughtBy: 'chain: two threads',
  },
  {
    name: 'a unit is said to be looked at before it was',
    file: CHAIN,
    from: '  chain.look(first, end);\n  if (',
    to: '  or(control, at, ((end - first) << BLOCKS_SHIFT) | LOOKED);\n  chain.look(first, end);\n  if (',
    caughtBy: 'chain: two threads',
  },
  {
    name: 'a unit is said to be folded before its carries are written',
    file: CHAIN,
    from: '    carryOn(first, end);\n    or(control, W_STATES + first, FOLDED);',
    to: '    or(control, W_STATES + first, FOLDED);\n    carryOn(first, end);',
    caughtBy: 'chain: two threads, units of two blocks',
  },
  {
    name: 'whoever makes a unit known does not look whether it was looked at',
    file: CHAIN,
    from: 'if (end >= blocks || (or(control, W_STATES + end, KNOWN) & LOOKED) === 0) return;',
    to: 'if (end >= blocks || or(control, W_STATES + end, KNOWN) >= 0) return;',
    caughtBy: 'chain: two threads',
  },
  {
    name: 'the two words of a unit are set by a load and a store',
    file: CHAIN,
    from: 'if ((or(control, at, ((end - first) << BLOCKS_SHIFT) | LOOKED) & KNOWN) !== 0) carryOnFrom(first, chain);',
    to: `const word = load(control, at);
  store(control, at, word | ((end - first) << BLOCKS_SHIFT) | LOOKED);
  if ((word & KNOWN) !== 0) carryOnFrom(first, chain);`,
    caughtBy: 'chain: two threads',
  },
  {
    name: 'a unit is finished whether it is folded or not',
    file: CHAIN,
    from: 'if (mayFail ? (load(control, at) & FOLDED) !== 0 : isFoldedSoon(control, at)) {',
    to: 'if (load(control, at) !== 0) {',
    caughtBy: 'chain: two threads',
  },
];
