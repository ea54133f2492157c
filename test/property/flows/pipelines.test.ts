/** Any pipeline under any schedule, against a sequential model: results, order, places in flight, concurrency, failures, early ends. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SequentialExecutor } from '../../../src/core/index.js';
import { pipeline } from '../../../src/flows/pipeline/index.js';
import { anyEndless, anyPipeline, anyVisits } from '../../helpers/any-pipelines.js';
import {
  addedBy,
  failuresOf,
  type Modelled,
  modelOf,
  type Observed,
  observe,
  type PipelineSpec,
} from '../../helpers/gated-pipelines.js';

const RUNS = { numRuns: 600 };

const check = (
  of: (spec: PipelineSpec, model: Modelled, observed: Observed) => void,
  only = anyPipeline,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(only, async (spec) => of(spec, modelOf(spec), await observe(spec))),
    RUNS,
  );

const ordered = anyPipeline.map((spec) => ({ ...spec, ordered: true }));

/** Not ordered, and nothing depends on the order. */
const unordered = anyPipeline.map((spec) => ({
  ...spec,
  ordered: false,
  stages: spec.stages.filter(({ kind }) => !['batch', 'scan', 'take', 'drop'].includes(kind)),
}));

const sorted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value)).sort();

test('an ordered pipeline gives what a sequential one gives, up to the same failure', () =>
  check(({ breakAfter = Number.POSITIVE_INFINITY }, { results, failure }, observed) => {
    const expected = results.slice(0, breakAfter).map(({ value }) => value);
    expect(observed.results).toEqual(expected);
    expect(observed.failure).toBe(expected.length === breakAfter ? undefined : failure);
  }, ordered));

test('a pipeline that is not ordered gives the same results in any order, and all of the items before the lowest failure', () =>
  check((spec, { results, failure }, observed) => {
    const all = modelOf({
      ...spec,
      stages: spec.stages.map((stage) => ({ ...stage, fails: undefined }) as typeof stage),
    });
    const possible = sorted(all.results.map(({ value }) => value));
    for (const value of sorted(observed.results)) {
      const at = possible.indexOf(value);
      expect(at).toBeGreaterThanOrEqual(0);
      possible.splice(at, 1);
    }
    if (spec.breakAfter !== undefined && observed.results.length >= spec.breakAfter) return;
    if (failure === undefined) expect(observed.failure).toBe(undefined);
    else expect(failuresOf(spec, failingItem(spec))).toContain(observed.failure);
    const found = sorted(observed.results);
    if (failure === undefined) expect(found).toEqual(sorted(results.map(({ value }) => value)));
    else for (const value of sorted(lower(spec, results))) expect(found).toContain(value);
  }, unordered));

/** The first item of the source that fails, somewhere. */
const failingItem = (spec: PipelineSpec): number =>
  Array.from({ length: spec.items }, (_, i) => i).find((i) => failuresOf(spec, i).length > 0) as number;

/** The results of all items before the one that fails: of that one, some may be missing. */
const lower = (spec: PipelineSpec, results: Modelled['results']): unknown[] => {
  const failing = failingItem(spec);
  return results.filter(({ from }) => from.every((item) => item < failing)).map(({ value }) => value);
};

test('batches are full, but for the last one', () =>
  check(({ stages }, _, observed) => {
    const last = stages[stages.length - 1];
    if (last?.kind !== 'batch') return;
    const sizes = observed.results.map((batch) => (batch as unknown[]).length);
    expect(sizes.slice(0, -1).every((size) => size === last.size)).toBe(true);
    expect(sizes.every((size) => size >= 1 && size <= last.size)).toBe(true);
  }));

test('no stage has more calls in progress than its concurrency, and none has more than places in flight', () =>
  check(({ stages, inFlight }, _, { most }) => {
    for (const [at, { concurrency = Number.POSITIVE_INFINITY, kind }] of stages.entries()) {
      expect(most[at]).toBeLessThanOrEqual(kind === 'scan' ? 1 : concurrency);
      if (!stages.slice(0, at).some((before) => before.kind === 'flatMap'))
        expect(most[at]).toBeLessThanOrEqual(inFlight);
    }
  }));

test('item k + inFlight is not read before the first stage has done with item k, also where batches wait for items', () =>
  check(({ stages }, _, { wereFirstCallsOver }) => {
    if (!['map', 'filter', 'flatMap'].includes(stages[0]?.kind ?? '')) return;
    expect(wereFirstCallsOver).not.toContain(false);
  }, ordered));

test('item k + inFlight is not read before item k has left', () =>
  check(({ inFlight, stages }, { results }, { takenAtRead }) => {
    // An item in a batch does not keep later ones from filling it. Where others are dropped, these come into their places.
    const has = (...kinds: readonly string[]): boolean => stages.some(({ kind }) => kinds.includes(kind));
    if (has('batch') && has('filter', 'flatMap')) return;
    for (const [item, taken] of takenAtRead.entries()) {
      const mustHaveLeft = results.filter(({ from }) => from.some((one) => one <= item - inFlight)).length;
      expect(taken).toBeGreaterThanOrEqual(mustHaveLeft);
    }
  }, ordered));

test('never more items are on their way than there are places', () =>
  check(({ inFlight }, { results }, { takenAtRead }) => {
    for (const [item, taken] of takenAtRead.entries()) {
      const left = new Set(results.slice(taken).flatMap(({ from }) => from.filter((one) => one < item)));
      expect(left.size).toBeLessThan(inFlight);
    }
  }, ordered));

test('an endless generator gives what a long one would, up to what ends the run; also without an order, up to some failure', () =>
  check((spec, { results, failure }, observed) => {
    const { breakAfter = Number.POSITIVE_INFINITY, ordered } = spec;
    const expected = results.slice(0, breakAfter).map(({ value }) => value);
    if (ordered) {
      expect(observed.results).toEqual(expected);
      expect(observed.failure).toBe(expected.length === breakAfter ? undefined : failure);
    } else if (observed.failure === undefined && observed.results.length < breakAfter) {
      // What is taken may have come before the item that fails.
      if (!spec.stages.some(({ kind }) => kind === 'take')) expect(failure).toBe(undefined);
    }
  }, anyEndless));

test.each([
  ['a pipeline', anyPipeline],
  ['one with an endless generator', anyEndless],
  ['one with visits', anyVisits],
])('when %s ends, however it ends, nothing of it runs, nothing begins any more, and the source is closed', (_, any) =>
  check((__, ___, { runningAtEnd, lateCalls, sourceClosed, takenAtRead }) => {
    expect({ runningAtEnd, lateCalls }).toEqual({ runningAtEnd: 0, lateCalls: 0 });
    if (takenAtRead.length > 0) expect(sourceClosed).toBe(true);
  }, any),
);

const isVisits = ({ kind }: { readonly kind: string }): boolean => kind === 'expand';

const visitsAlone = anyVisits.map((spec) => ({ ...spec, ordered: true, stages: spec.stages.filter(isVisits) }));

const visitsThatSucceed = fc.tuple(visitsAlone, fc.boolean()).map(([spec, isOrdered]) => ({
  ...spec,
  ordered: isOrdered,
  stages: spec.stages.map((one) => ({ ...one, fails: undefined })),
}));

test('expand visits each item that is given or added, or the first one of each key, whatever the order; or it rejects with a failure of a visit', () =>
  check((spec, { results, failure }, observed) => {
    const possible = modelOf({
      ...spec,
      stages: spec.stages.map((stage) => ({ ...stage, fails: undefined }) as typeof stage),
    });
    const left = sorted(possible.results.map(({ value }) => value));
    for (const value of sorted(observed.results)) {
      const at = left.indexOf(value);
      expect(at).toBeGreaterThanOrEqual(0);
      left.splice(at, 1);
    }
    if (observed.results.length === spec.breakAfter) return;
    if (failure === undefined) {
      expect(observed.failure).toBe(undefined);
      expect(sorted(observed.results)).toEqual(sorted(results.map(({ value }) => value)));
    } else {
      const items = Array.from({ length: spec.items + 1 }, (_, i) => i);
      expect(items.flatMap((item) => failuresOf(spec, item))).toContain(observed.failure);
    }
  }, anyVisits));

test('no more visits are in progress than concurrency and places allow', () =>
  check(({ stages, inFlight }, _, { most }) => {
    for (const [at, { concurrency = Number.POSITIVE_INFINITY }] of stages.entries()) {
      expect(most[at]).toBeLessThanOrEqual(concurrency);
      if (isVisits(stages[at] as { kind: string }) && stages[at - 1]?.kind !== 'flatMap')
        expect(most[at]).toBeLessThanOrEqual(inFlight);
    }
  }, anyVisits));

test('visits and their results hold a place until they are taken, also when the source gives an item late', () =>
  check(({ inFlight }, _, { mostUntaken }) => {
    expect(mostUntaken).toBeLessThanOrEqual(inFlight);
  }, visitsThatSucceed));

test('ordered, the result of a visit comes after that of one which has added its item', () =>
  check(({ items }, _, { results }) => {
    for (const [k, x] of (results as number[]).entries())
      expect(x < items || (results as number[]).slice(0, k).some((before) => addedBy(before).includes(x))).toBe(true);
  }, visitsAlone));

test('with one visit at a time, visits are breadth first from all items of a source that gives them at once', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.nat(30), { minLength: 1, maxLength: 12 }),
    fc.integer({ min: 1, max: 6 }),
    async (from, inFlight) => {
      const source = from.map((n) => ({ n, depth: 0 }));
      const visits = await pipeline(source, { pool: new SequentialExecutor(), inFlight })
        .expand(
          ({ n, depth }, feed) => {
            for (const next of [n - 1, n + 1]) if (next >= 0 && next <= 30) feed.add({ n: next, depth: depth + 1 });
            return { n, depth };
          },
          { concurrency: 1, uniqueBy: ({ n }) => n },
        )
        .toArray();
      for (const { n, depth } of visits) expect(depth).toBe(Math.min(...from.map((one) => Math.abs(one - n))));
      expect(visits.length).toBe(31);
    },
  );
  await fc.assert(property, { numRuns: 50 });
});
