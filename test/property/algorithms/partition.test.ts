/** Partitions in the simulated core: who gets which elements, that nothing is done twice, and that results stay the same. */
import '../../helpers/in-simulated-core.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Partition } from '../../../src/algorithms/call/loop-options.js';
import {
  parallelForEach,
  parallelForEachSync,
  parallelMap,
  parallelMapSync,
} from '../../../src/algorithms/loops/elements.js';
import {
  parallelFor,
  parallelForRange,
  parallelForRangeSync,
  parallelForSync,
} from '../../../src/algorithms/loops/for-loops.js';
import { Cost } from '../../../src/algorithms/schedule/cost.js';
import { Grain } from '../../../src/algorithms/schedule/grain.js';
import { Deal, dealt, ONE_EACH } from '../../../src/algorithms/schedule/partition.js';
import {
  claim,
  firstOf,
  MAX_TILES,
  NO_TILE,
  NONE,
  rangeWords,
  steal,
} from '../../../src/algorithms/schedule/ranges.js';
import { stagedKind, stagesTask, type WorkStage } from '../../../src/algorithms/schedule/stages.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { difference } from '../../helpers/array-values.js';
import { anySchedule, schedule } from '../../helpers/schedules.js';
import { callWith, reset, simulation } from '../../helpers/simulated-core.js';

beforeEach(() => reset());

const blockSize = fc.oneof(fc.constantFrom(1, 2, 3, 64, 5000), fc.integer({ min: 1, max: 300 }));
const partition: fc.Arbitrary<Partition> = fc.oneof(
  fc.constantFrom<Partition>('static', 'cyclic', 'adaptive'),
  blockSize.map((block): Partition => ({ kind: 'cyclic', block })),
);
const length = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3000 }));
const lowest = fc.constantFrom(0, -20, 2 ** 31 - 30, -(2 ** 31) - 20, 2 ** 52, Number.MIN_SAFE_INTEGER);

const ones = (n: number, times: number): number[] => [0, ...new Array<number>(n).fill(times), 0];

describe('under every partition,', () => {
  test('parallelFor calls the body once for every index', async () => {
    await fc.assert(
      fc.asyncProperty(lowest, length, partition, anySchedule, async (lo, n, partition, { threshold, ...changes }) => {
        reset(changes);
        const calls = sharedArray(Uint8Array, n + 2);
        const context = { calls, lo };
        const body = (i: number, { calls, lo }: { calls: Uint8Array; lo: number }): void => {
          calls[i - lo + 1]++;
        };
        await parallelFor([lo, lo + n], body, { context, threshold, partition });
        expect(difference(calls, ones(n, 1))).toBeUndefined();
        parallelForSync([lo, lo + n], body, { context, threshold, partition });
        expect(difference(calls, ones(n, 2))).toBeUndefined();
      }),
    );
  });

  test('parallelForEach and parallelMap give what the adaptive one gives, bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(
        length,
        partition,
        anySchedule,
        fc.boolean(),
        async (n, partition, { threshold, ...changes }, shared) => {
          reset(changes);
          const values = Float64Array.from({ length: n }, (_, i) => Math.sin(i) / 3);
          const xs = shared ? sharedArray(Float64Array, values) : values;
          const fn = (x: number, i: number): number => Math.sqrt(x * i) - 1 / x;
          const wanted = await parallelMap(xs, fn, { threshold });
          expect(difference(await parallelMap(xs, fn, { threshold, partition }), wanted)).toBeUndefined();
          expect(difference(parallelMapSync(xs, fn, { threshold, partition }), wanted)).toBeUndefined();
          const out = sharedArray(Float64Array, n);
          const put = (x: number, i: number, { out }: { out: Float64Array }): void => {
            out[i] += Math.sqrt(x * i) - 1 / x;
          };
          await parallelForEach(xs, put, { threshold, partition, context: { out } });
          expect(difference(out, wanted)).toBeUndefined();
          parallelForEachSync(xs, put, { threshold, partition, context: { out: out.fill(0) } });
          expect(difference(out, wanted)).toBeUndefined();
        },
      ),
    );
  });

  test('the error of the lowest failing index surfaces, with all lower ones done', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
        partition,
        anySchedule,
        async (n, places, partition, { threshold, ...changes }) => {
          reset(changes);
          const failing = sharedArray(Uint8Array, n);
          const done = sharedArray(Uint8Array, n);
          for (const at of places) failing[at % n] = 1;
          const looped = parallelFor(
            n,
            (i, { failing, done }) => {
              if (failing[i] === 1) throw new RangeError(String(i));
              done[i]++;
            },
            { context: { failing, done }, threshold, partition },
          );
          const first = failing.indexOf(1);
          await expect(looped).rejects.toThrow(new RangeError(String(first)));
          expect(done.subarray(0, first).every((count) => count === 1)).toBe(true);
          expect(done.some((count) => count > 1)).toBe(false);
        },
      ),
    );
  });

  test('progress only grows, to (n, n)', async () => {
    await fc.assert(
      fc.asyncProperty(length, partition, anySchedule, async (n, partition, { threshold, ...changes }) => {
        reset(changes);
        for (const loop of [parallelFor, parallelForRange]) {
          const seen: number[] = [];
          await loop(n, () => {}, { threshold, onProgress: (done) => void seen.push(done), partition });
          expect(seen.at(-1)).toBe(n);
          expect(seen).toEqual(seen.slice().sort((a, b) => a - b));
        }
      }),
    );
  });

  test('parallelForRange gets each piece in one call, or in parts of at most the threshold', async () => {
    await fc.assert(
      fc.asyncProperty(length, partition, anySchedule, lowest, async (n, partition, { threshold, ...changes }, lo) => {
        fc.pre(partition !== 'adaptive');
        reset(changes);
        const starts = sharedArray(Uint8Array, n + 1);
        const covered = sharedArray(Uint8Array, n + 2);
        const context = { starts, covered, lo };
        const body = (from: number, to: number, { starts, covered, lo }: typeof context): void => {
          if (to <= from) throw new RangeError(`${from} to ${to}`);
          starts[from - lo]++;
          for (let i = from; i < to; i++) covered[i - lo + 1]++;
        };
        const { parallelism } = simulation;
        const size = partition === 'cyclic' ? 1 : typeof partition === 'object' ? partition.block : undefined;
        const pieces = size === undefined ? Math.min(n, parallelism) : Math.ceil(n / size);
        const wanted = new Uint8Array(n + 1);
        for (let piece = 0, at = 0; piece < pieces; piece++) {
          const long = size ?? Math.floor(n / pieces) + (piece < n % pieces ? 1 : 0);
          const end = Math.min(n, at + long);
          for (let part = at; part < end; part += threshold ?? long) wanted[part]++;
          at = end;
        }
        await parallelForRange([lo, lo + n], body, { context, threshold, partition });
        expect(difference(covered, ones(n, 1))).toBeUndefined();
        expect(difference(starts, wanted)).toBeUndefined();
        parallelForRangeSync([lo, lo + n], body, { context, threshold, partition });
        expect(difference(covered, ones(n, 2))).toBeUndefined();
      }),
    );
  });
});

describe('a deal', () => {
  const deals = fc.record({
    block: fc.oneof(fc.constant(ONE_EACH), blockSize),
    most: fc.constantFrom(1, 2, 3, 5, 16, 300),
    from: fc.nat(50),
    left: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 10 ** 6 })),
  });

  test('cuts the units into blocks of the size that was asked for, static ones of equal size', () => {
    fc.assert(
      fc.property(deals, ({ block, most, from, left }) => {
        const deal = new Deal(block, most, from, from + left);
        expect([deal.start(0), deal.start(deal.blocks)]).toEqual([from, from + left]);
        if (block === ONE_EACH) expect(deal.blocks).toBe(Math.min(most, left));
        const checked = Math.min(deal.blocks, 1000);
        for (let b = 0; b < checked; b++) {
          const size = deal.start(b + 1) - deal.start(b);
          if (block === ONE_EACH) expect(Math.abs(size - left / deal.blocks)).toBeLessThan(1);
          else expect(size).toBe(b === deal.blocks - 1 ? left - b * block : block);
        }
      }),
    );
  });

  test('has no more tiles than a word can count, and no more blocks than failures have numbers', () => {
    const lengths = [1, 70_000, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER];
    fc.assert(
      fc.property(fc.constantFrom(...lengths), fc.constantFrom(1, 2, 7, 64), blockSize, (left, most, block) => {
        const deal = new Deal(block, most, 0, left);
        expect(deal.tiles * deal.lanes).toBeLessThanOrEqual(MAX_TILES);
        expect(deal.tiles * deal.tileTurns).toBeGreaterThanOrEqual(deal.turns);
        expect(deal.turns * deal.lanes).toBeGreaterThanOrEqual(deal.blocks);
        expect(deal.blocks).toBeLessThanOrEqual(NO_TILE);
        expect(deal.start(deal.blocks)).toBe(left);
      }),
    );
  });
});

describe('lanes', () => {
  interface Given {
    readonly block: number;
    readonly units: number;
    readonly from: number;
    readonly ns: number;
    readonly threshold?: number;
  }
  /** Realms have a state of their own, but one process: what they run is noted here. */
  let run: (lo: number, hi: number, lane: number) => void;

  const KIND = stagedKind<Given>('test of partitions', ({ block, units, ns, threshold = 0 }) => {
    const cost = new Cost(ns, units);
    const grain = new Grain({ cost, unitElements: 1, units, threshold, parallelism: simulation.parallelism });
    const stage: WorkStage = {
      units,
      grain,
      dealing: dealt(block),
      run(lo, hi, lane) {
        run(lo, hi, lane);
        return hi - lo;
      },
    };
    return [stage];
  });

  const runLanes = (spec: Given): unknown =>
    callWith()
      .job({
        total: spec.units - spec.from,
        kind: KIND,
        spec,
        root: stagesTask,
        from: spec.from,
        sharedWords: rangeWords(simulation.parallelism),
      })
      .runSync();

  const given = fc
    .record({
      block: fc.oneof(fc.constant(ONE_EACH), blockSize),
      units: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 200_000 })),
      from: fc.nat(9),
      ns: fc.constantFrom(1000, 1e5, 1e6),
    })
    .map((spec) => ({ ...spec, from: Math.min(spec.from, spec.units - 1) }))
    .filter(({ units, ns }) => units * Math.min(ns, 2e5) < 4e9);

  test('run every block whole, whoever has it, and each unit once', () => {
    fc.assert(
      fc.property(given, schedule, (spec, { threshold: _, ...changes }) => {
        reset({ ...changes, parallelism: Math.max(2, changes.parallelism) });
        const laneOf = new Int16Array(spec.units).fill(-1);
        let twice = 0;
        run = (lo, hi, lane) => {
          for (let unit = lo; unit < hi; unit++) {
            if (laneOf[unit] !== -1) twice++;
            laneOf[unit] = lane;
          }
        };
        runLanes(spec);
        expect(twice).toBe(0);
        expect(laneOf.subarray(spec.from)).not.toContain(-1);
        if ((spec.units - spec.from) * spec.ns <= 200_000) return; // one chunk, which the root runs alone
        const deal = new Deal(spec.block, simulation.parallelism, spec.from, spec.units);
        for (let block = 0; block < Math.min(deal.blocks, 2000); block++) {
          const runners = new Set(laneOf.subarray(deal.start(block), deal.start(block + 1)));
          expect(runners.size).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('deal the blocks in turn: without thieves, lane k runs the blocks k, k + lanes, ...', () => {
    fc.assert(
      fc.property(given, fc.integer({ min: 2, max: 9 }), ({ block, from, units }, lanes) => {
        const words = new Int32Array(rangeWords(lanes));
        const dealing = dealt(block);
        const used = dealing.shareOut(words, from, units);
        const deal = new Deal(block, lanes, from, units);
        expect(used).toBe(deal.lanes);
        for (let lane = 0; lane < lanes; lane++) {
          const first = claim(words, lane, 1, 1);
          if (lane >= used) expect(first).toBe(NONE);
          else expect(firstOf(first)).toBe(lane * deal.tiles);
        }
      }),
    );
  });

  test('a static piece whose thread is late is stolen whole, and its lane then finds nothing', () => {
    const words = new Int32Array(rangeWords(3));
    expect(dealt(ONE_EACH).shareOut(words, 0, 3_000_000)).toBe(3);
    expect(firstOf(claim(words, 0, 1, 1))).toBe(0);
    expect(claim(words, 0, 1, 1)).toBe(NONE);
    const stolen = [steal(words, 0, 1, 1), steal(words, 0, 1, 1)].map(firstOf).sort();
    expect(stolen).toEqual([1, 2]);
    expect([claim(words, 1, 1, 1), claim(words, 2, 1, 1), steal(words, 1, 1, 1)]).toEqual([NONE, NONE, NONE]);
  });

  test('the root runs the pieces of lanes that never start, one after the other', () => {
    reset({ parallelism: 4, stealing: 0 });
    const runs: (readonly [number, number, number])[] = [];
    run = (lo, hi, lane) => void runs.push([lo, hi, lane]);
    runLanes({ block: ONE_EACH, units: 4000, from: 0, ns: 1e6 });
    expect(runs.every(([, , lane]) => lane === 0)).toBe(true);
    const at = runs.map(([lo]) => Math.floor(lo / 1000));
    const changes = at.filter((piece, k) => k === 0 || piece !== at[k - 1]);
    expect(changes.slice().sort()).toEqual([0, 1, 2, 3]); // each piece was begun once
  });

  test('a chunk that begins before the least failure ends there, so the least failure surfaces', () => {
    reset({ parallelism: 2, stealing: 0 });
    let last = 0;
    run = (lo) => {
      if (lo === 160 || lo === 161) throw new Error(`unit ${lo}`); // of lane 0, and of the half that it steals
      if (lo > 160) last = Math.max(last, lo);
    };
    const spec = { block: 1, units: 300, from: 0, ns: 1e6, threshold: 200 };
    expect(() => runLanes(spec)).toThrow(new Error('unit 160'));
    expect(last).toBe(0);
  });

  test('a cancellation is seen in the middle of a piece', () => {
    reset({ parallelism: 2, stealing: 0, cancelAt: 10 });
    let most = 0;
    run = (_, hi) => {
      most = Math.max(most, hi);
    };
    expect(() => runLanes({ block: ONE_EACH, units: 100_000, from: 0, ns: 1e6, threshold: 100 })).toThrow(
      'cancelled by the simulation',
    );
    expect(most).toBeLessThan(1000);
  });
});
