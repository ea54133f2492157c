/**
 * The first stage of a scan or a filter: units are taken in order, each is looked at once, carried on once and in order, and
 * finished from the right carry or left. The second stage, which finishes what was left, shares no words and is not run here.
 */
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';

const WORDS = 64;
/** What precedes a block; before that is known, what the block before it comes to. */
const CARRIES = 24;
/** How often each block was finished. */
const FINISHED = 48;
/** Of a unit in whose words everything has happened: LOOKED, KNOWN and FOLDED. */
const ALL = 7;
const LEFT = 8;

/** What block b comes to. */
const totalOf = (b: number): number => 1 << b;
const before = (b: number): number => (1 << b) - 1;

/** Takes so many units. */
const taker = (thread: number, units: number, blocks: number, unitBlocks: number): ThreadBody => ({
  name: `thread ${thread}`,
  run({ chainedStages }, { seam, buffer }) {
    const words = new Int32Array(buffer);
    const chain = {
      blocks,
      unitBlocks,
      control: words,
      mayFail: false,
      elements: (lo: number, hi: number) => hi - lo,
      look(lo: number, hi: number) {
        for (let b = lo; b < hi; b++) seam.write(words, CARRIES + b + 1, totalOf(b));
      },
      carryOn(lo: number, hi: number) {
        for (let b = lo; b < hi; b++) {
          seam.write(words, CARRIES + b + 1, seam.read(words, CARRIES + b) + seam.read(words, CARRIES + b + 1));
        }
      },
      finish(lo: number, hi: number) {
        for (let b = lo; b < hi; b++) {
          const carry = seam.read(words, CARRIES + b);
          if (carry !== before(b)) throw new Error(`block ${b} was finished from ${carry}, not ${before(b)}`);
          seam.write(words, FINISHED + b, seam.read(words, FINISHED + b) + 1);
        }
      },
    };
    chainedStages(chain, {}, undefined as never, undefined as never)[0]?.run(0, units, 0);
  },
});

/** @param takes units that each thread takes */
export function chainScenario(takes: readonly number[], unitBlocks: number): Scenario {
  const units = takes.reduce((sum, count) => sum + count, 0);
  const blocks = units * unitBlocks - (unitBlocks - 1); // the last unit is short
  return {
    name: `a chain of ${units} units, of which the threads take ${takes.join(' + ')}`,
    words: WORDS,
    threads: takes.map((count, thread) => taker(thread, count, blocks, unitBlocks)),
    setUp(cells) {
      cells[1] = 2; // startChain: what precedes the first unit is known
    },
    check({ words }) {
      for (let b = 0; b < blocks; b++) {
        const isFirst = b % unitBlocks === 0;
        const word = words[1 + b] ?? 0;
        if (isFirst && (word & ALL) !== ALL) throw new Error(`unit of block ${b} ended as ${word & 15}`);
        const unit = words[1 + b - (b % unitBlocks)] ?? 0;
        const finished = (words[FINISHED + b] ?? 0) + ((unit & LEFT) !== 0 ? 1 : 0);
        if (finished !== 1) throw new Error(`block ${b} was finished ${finished} times`);
        if (words[CARRIES + b] !== before(b)) throw new Error(`the carry of block ${b} is ${words[CARRIES + b]}`);
      }
    },
    nameOf: (at) =>
      at === 0
        ? 'next'
        : at < CARRIES
          ? `unit of block ${at - 1}`
          : at < FINISHED
            ? `carry ${at - CARRIES}`
            : `finished ${at - FINISHED}`,
  };
}
