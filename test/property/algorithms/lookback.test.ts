import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Cost } from '../../../src/algorithms/schedule/cost.js';
import { Grain } from '../../../src/algorithms/schedule/grain.js';
import {
  type Chain,
  chainedStages,
  chainWords,
  noteDone,
  startChain,
} from '../../../src/algorithms/schedule/lookback.js';
import { TEST_HANG_MS } from '../../helpers/limits.js';

/**
 * Threads that come in between wherever one of them calls out: each step of one may be cut by whole units of others, as deep as
 * there are threads. What it cannot show is two threads between two words: there each word says which of them is second.
 */
class Threads {
  readonly finished: number[];
  readonly carried: number[] = [];
  readonly out: number[];
  #depth = 0;
  #inBetween = 0;
  readonly #units: number;
  #taken = 0;
  readonly #stages;

  constructor(
    readonly values: readonly number[],
    readonly unitBlocks: number,
    readonly threads: number,
    done: number,
    readonly comesBetween: () => boolean,
  ) {
    const blocks = values.length;
    const control = new Int32Array(chainWords(blocks));
    noteDone(control, done);
    startChain(control);
    const carries = new Array<number>(blocks + 1).fill(Number.NaN);
    const totals = new Array<number>(blocks).fill(Number.NaN);
    this.out = new Array<number>(blocks).fill(Number.NaN);
    this.finished = new Array<number>(blocks).fill(0);
    for (let b = 0; b <= done; b++) carries[b] = values.slice(0, b).reduce((a, x) => a + x, 0);
    for (let b = 0; b < done; b++) this.#finish(b, b + 1, carries);
    const chain: Chain = {
      blocks,
      unitBlocks,
      control,
      mayFail: false,
      elements: (lo, hi) => hi - lo,
      look: (lo, hi) => {
        this.#others();
        for (let b = lo; b < hi; b++) totals[b] = values[b] as number;
        this.#others();
      },
      carryOn: (lo, hi) => {
        this.#others();
        for (let b = lo; b < hi; b++) {
          carries[b + 1] = (carries[b] as number) + (totals[b] as number);
          this.carried.push(b);
        }
        this.#others();
      },
      finish: (lo, hi) => this.#finish(lo, hi, carries),
    };
    this.#units = Math.ceil(blocks / unitBlocks) - Math.floor(done / unitBlocks);
    const grain = new Grain({ cost: new Cost(), unitElements: 1, units: 1, threshold: 0, parallelism: 1 });
    this.#stages = chainedStages(chain, {}, grain, grain);
  }

  /** Runs both stages; returns what each counts. */
  run(): [first: number, second: number] {
    let elements = 0;
    while (this.#taken < this.#units) elements += this.#next();
    const [, second] = this.#stages;
    return [elements + this.#inBetween, second?.run(0, second.units, 0) ?? 0];
  }

  #next(): number {
    this.#taken++;
    return this.#stages[0]?.run(0, 1, 0) ?? 0;
  }

  #others(): void {
    while (this.#depth < this.threads - 1 && this.#taken < this.#units && this.comesBetween()) {
      this.#depth++;
      const elements = this.#next(); // which may come here too
      this.#inBetween += elements;
      this.#depth--;
    }
  }

  #finish(lo: number, hi: number, carries: readonly number[]): void {
    for (let b = lo; b < hi; b++) {
      this.out[b] = (carries[b] as number) + (this.values[b] as number);
      (this.finished[b] as number)++;
    }
  }
}

const cases = fc.record({
  values: fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 60 }),
  unitBlocks: fc.constantFrom(1, 2, 4, 8),
  threads: fc.integer({ min: 1, max: 5 }),
  doneShare: fc.double({ min: 0, max: 0.99, noNaN: true }),
  turns: fc.infiniteStream(fc.boolean()),
});

test('every block is finished once, with the carry of all blocks before it, in any interleaving', () => {
  let left = 0;
  fc.assert(
    fc.property(cases, ({ values, unitBlocks, threads, doneShare, turns }) => {
      const units = Math.ceil(values.length / unitBlocks);
      const done = Math.floor(doneShare * units) * unitBlocks;
      const all = new Threads(values, unitBlocks, threads, done, () => turns.next().value as boolean);
      const [first, second] = all.run();
      let sum = 0;
      expect(all.out).toEqual(values.map((x) => (sum += x)));
      expect(all.finished).toEqual(values.map(() => 1));
      expect(all.carried).toEqual(values.map((_, b) => b).slice(done));
      expect(first + second).toBe(2 * (values.length - done));
      if (threads === 1) expect(second).toBe(0);
      left += second;
    }),
    { numRuns: 300, interruptAfterTimeLimit: TEST_HANG_MS },
  );
  expect(left).toBeGreaterThan(100); // or the second stage was not tried
});
