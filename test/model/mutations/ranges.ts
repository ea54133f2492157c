/** Bugs planted in the ranges of lanes; all.ts says how. */
import type { Mutation } from './mutation.js';

const RANGES = 'src/algorithms/schedule/ranges.ts';

export const RANGES_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an owner claims without compareExchange',
    file: RANGES,
    from: '    if (compareExchange(words, at, range, rangeOf(end, hi)) === range) return rangeOf(lo, end); // I2',
    to: '    store(words, at, rangeOf(end, hi));\n    return rangeOf(lo, end);',
    caughtBy: 'ranges: one lane has all',
    bound: 2,
  },
  {
    name: 'an owner writes lo beside the hi that is there by then',
    file: RANGES,
    from: '    if (compareExchange(words, at, range, rangeOf(end, hi)) === range) return rangeOf(lo, end); // I2',
    to: '    store(words, at, rangeOf(end, endOf(load(words, at))));\n    return rangeOf(lo, end);',
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'a thief lowers the end of a range by a plain store',
    file: RANGES,
    from: `    if (compareExchange(words, laneWord(victim) + W_RANGE, seen, rangeOf(lo, middle)) === seen) {
      store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi)); // O1`,
    to: `    if (most > 0) {
      store(words, laneWord(victim) + W_RANGE, rangeOf(lo, middle));
      store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi));`,
    caughtBy: 'ranges: two lanes',
  },
  {
    name: 'a thief forgets to store what it took',
    file: RANGES,
    from: '      store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi)); // O1\n',
    to: '',
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'a thief stores what it means to take, and then takes it',
    file: RANGES,
    from: `    if (compareExchange(words, laneWord(victim) + W_RANGE, seen, rangeOf(lo, middle)) === seen) {
      store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi)); // O1`,
    to: `    store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi));
    if (compareExchange(words, laneWord(victim) + W_RANGE, seen, rangeOf(lo, middle)) === seen) {`,
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'a thief stores all that it took, its first slots too',
    file: RANGES,
    from: '      store(words, laneWord(lane) + W_RANGE, rangeOf(end, hi)); // O1',
    to: '      store(words, laneWord(lane) + W_RANGE, rangeOf(middle, hi));',
    caughtBy: 'ranges: one lane has all',
  },
  {
    name: 'the least failure is written without compareExchange',
    file: RANGES,
    from: '    const seen = compareExchange(words, W_LEAST, least, slot); // I4',
    to: '    const seen = least;\n    store(words, W_LEAST, slot);',
    caughtBy: 'ranges: two that fail',
  },
  {
    name: 'a failure that comes second is forgotten',
    file: RANGES,
    from: '    least = seen;\n',
    to: '    return;\n',
    caughtBy: 'ranges: two that fail',
  },
];
