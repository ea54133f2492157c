/** How the lanes of a stage share its units, in the simulated core: with steals, and lanes in the middle of others. */
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { Cost } from '../../../src/algorithms/schedule/cost.js';
import { Grain } from '../../../src/algorithms/schedule/grain.js';
import { MAX_TILES, rangeWords } from '../../../src/algorithms/schedule/ranges.js';
import { stagedKind, stagesTask, type WorkStage } from '../../../src/algorithms/schedule/stages.js';
import { CHUNK_US } from '../../../src/algorithms/tuning.js';
import { schedule } from '../../helpers/schedules.js';
import { callWith, reset, simulation } from '../../helpers/simulated-core.js';

vi.mock('../../../src/core/job/job.js', async () => (await import('../../helpers/simulated-core.js')).job);
vi.mock(
  '../../../src/core/worker/checkpoint.js',
  async () => (await import('../../helpers/simulated-core.js')).checkpoints,
);
vi.mock(
  '../../../src/core/task/function-task.js',
  async () => (await import('../../helpers/simulated-core.js')).functionTask,
);
vi.mock('../../../src/algorithms/schedule/ranges.js', async (original) =>
  (await import('../../helpers/simulated-core.js')).ranges(original as never),
);

beforeEach(() => {
  reset();
  isSuperseded = undefined;
});

interface Given {
  readonly from: number;
  readonly units: number;
  readonly threshold: number;
  readonly together: number;
  /** Nanoseconds an element, as far as is known; 0 for unknown. */
  readonly ns: number;
  readonly collects: boolean;
}

/** Realms have a state of their own, but one process: what they run is counted here. */
let run: (lo: number, hi: number) => void;
/** Whether a unit, and what follows it, does not matter any more. */
let isSuperseded: ((unit: number) => boolean) | undefined;

const KIND = stagedKind<Given>('test of stages', ({ units, threshold, together, ns, collects }) => {
  const cost = new Cost(ns);
  cost.measuredElements = units;
  const lanes = new Map<number, number[]>();
  const stage: WorkStage = {
    units,
    grain: new Grain({ cost, unitElements: 1, units, threshold, parallelism: simulation.parallelism, together }),
    run(lo, hi, lane) {
      run(lo, hi);
      if (collects) lanes.set(lane, [...(lanes.get(lane) ?? []), lo, hi]);
      return hi - lo;
    },
    byLane: collects,
    isSuperseded,
    ...(collects && { collect: (lane: number) => lanes.get(lane) ?? [], value: (all: readonly unknown[]) => all }),
  };
  return [stage];
});

const given = fc
  .record({
    units: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 200_000 })),
    done: fc.integer({ min: 0, max: 9 }),
    threshold: fc.constantFrom(0, 0, 1, 5, 1000),
    together: fc.constantFrom(1, 4),
    ns: fc.constantFrom(0, 1, 1000, 1e6),
    collects: fc.boolean(),
  })
  .map(({ done, ...rest }) => ({ ...rest, from: Math.min(done, rest.units - 1) }))
  .filter(({ units, threshold }) => threshold === 0 || units / threshold < 2000);

const runStages = (spec: Given): unknown =>
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

test('every unit that is left is run once, in chunks of at most the threshold, and lanes return what they ran', () => {
  fc.assert(
    fc.property(given, schedule, (spec, { threshold: _, ...changes }) => {
      reset(changes);
      const times = new Uint8Array(spec.units).fill(1, 0, spec.from);
      let largest = 0;
      run = (lo, hi) => {
        largest = Math.max(largest, hi - lo);
        for (let unit = lo; unit < hi; unit++) (times[unit] as number)++;
      };
      const result = runStages(spec);
      expect(times.every((count) => count === 1)).toBe(true);
      if (spec.threshold > 0) expect(largest).toBeLessThanOrEqual(spec.threshold);
      if (!spec.collects) return;
      const ends = (result as [number, number[]])[1];
      let sum = 0;
      for (let k = 0; k < ends.length; k += 2) sum += (ends[k + 1] as number) - (ends[k] as number);
      expect(sum).toBe(spec.units - spec.from);
    }),
    { numRuns: 300 },
  );
});

test('the error of the lowest failing unit surfaces, all units before it were run, and no chunk begins behind a failed one', () => {
  let failed = 0;
  fc.assert(
    fc.property(
      given,
      schedule,
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 5 }),
      (spec, { threshold: _, ...changes }, places) => {
        reset(changes);
        const { from, units } = spec;
        const failing = new Set(places.map((place) => from + Math.floor(place * (units - from))));
        const times = new Uint8Array(units);
        let leastFailed = units; // where the first of the chunks begins that have failed so far
        let late = 0;
        run = (lo, hi) => {
          if (lo > leastFailed) late++;
          for (let unit = lo; unit < hi; unit++) {
            if (failing.has(unit)) {
              leastFailed = Math.min(leastFailed, lo);
              throw new Error(`unit ${unit}`);
            }
            (times[unit] as number)++;
          }
        };
        const least = Math.min(...failing);
        expect(() => runStages(spec)).toThrow(new Error(`unit ${least}`));
        expect(times.subarray(from, least).every((count) => count === 1)).toBe(true);
        expect(times.every((count) => count <= 1)).toBe(true);
        if (units <= MAX_TILES) expect(late).toBe(0); // parts of a tile of several units may be on their way
        failed++;
      },
    ),
    { numRuns: 300 },
  );
  expect(failed).toBeGreaterThan(0);
});

test('no chunk begins behind a unit that has failed, or behind a match', () => {
  let stopped = 0;
  fc.assert(
    fc.property(
      given,
      schedule,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.boolean(),
      (spec, { threshold: _, ...changes }, place, fails) => {
        fc.pre(!fails || spec.units <= MAX_TILES); // what was forked of a tile before another one failed still runs
        reset({ ...changes, stopsEarly: true });
        const at = spec.from + Math.floor(place * (spec.units - spec.from));
        let end = Number.POSITIVE_INFINITY;
        const late: number[] = []; // not asserted in the chunk, where its error would be dropped too
        isSuperseded = fails ? undefined : (unit) => unit > end;
        run = (lo, hi) => {
          if (lo > end) late.push(lo);
          if (at < lo || at >= hi) return;
          end = fails ? hi : at;
          stopped++;
          if (fails) throw new Error('failed');
        };
        if (fails) expect(() => runStages(spec)).toThrow('failed');
        else runStages(spec);
        expect(late).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
  expect(stopped).toBeGreaterThan(10);
});

test('expensive units of one tile are forked, so that others may take them', () => {
  const units = 1_000_000; // sixteen to a tile
  reset({ parallelism: 2, stealing: 0 });
  let largest = 0;
  run = (lo, hi) => {
    largest = Math.max(largest, hi - lo);
    if (lo >= 64) throw new Error('enough');
    const endMs = performance.now() + (2 * CHUNK_US) / 1000;
    while (performance.now() < endMs);
  };
  expect(() => runStages({ from: 0, units, threshold: 0, together: 1, ns: 1e6, collects: false })).toThrow('enough');
  expect(largest).toBe(1);
  expect(simulation.forks).toBeGreaterThan(4 * 15);
});
