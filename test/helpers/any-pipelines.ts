/** Pipelines of any kind, for gated-pipelines.ts to run. */
import fc from 'fast-check';
import type { PipelineSpec, StageSpec } from './gated-pipelines.js';

const fails = fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined, freq: 6 });
const concurrency = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });

const calling = fc.record({
  kind: fc.constantFrom('map' as const, 'filter' as const, 'flatMap' as const),
  concurrency,
  fails,
});
const slicing = fc.record({
  kind: fc.constantFrom('take' as const, 'drop' as const),
  concurrency: fc.constant(undefined),
  size: fc.integer({ min: 1, max: 8 }),
});
const batching = fc.record({
  kind: fc.constant('batch' as const),
  concurrency: fc.constant(undefined),
  size: fc.integer({ min: 1, max: 3 }),
});
const expanding = fc.record({ kind: fc.constant('expand' as const), concurrency, fails, isUnique: fc.boolean() });
const scanning = fc.record({ kind: fc.constant('scan' as const), concurrency: fc.constant(undefined), fails });

const needs = (stages: readonly StageSpec[]): number =>
  stages.reduce((product, stage) => (stage.kind === 'batch' ? product * stage.size : product), 1);

/** Any pipeline. */
export const anyPipeline: fc.Arbitrary<PipelineSpec> = fc
  .record({
    items: fc.integer({ min: 0, max: 14 }),
    spare: fc.integer({ min: 0, max: 4 }),
    ordered: fc.boolean(),
    stages: fc.array(fc.oneof({ weight: 3, arbitrary: calling }, batching, scanning, slicing), { maxLength: 4 }),
    breakAfter: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 3 }),
    sourceFails: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined, freq: 4 }),
    schedule: fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }),
  })
  .map(({ spare, ...spec }) => ({ ...spec, inFlight: needs(spec.stages) + spare }));

/** A pipeline with an endless generator, which the reader leaves, of which a stage takes some items, or that fails after it. */
export const anyEndless: fc.Arbitrary<PipelineSpec> = fc
  .tuple(
    anyPipeline,
    fc.array(calling, { maxLength: 1 }),
    fc.record({ kind: fc.constant('endless' as const), concurrency, fails }),
    fc.array(fc.oneof(calling, batching), { maxLength: 1 }),
    fc.oneof(
      slicing.map((stage) => ({ ...stage, kind: 'take' as const })),
      fc.record({ kind: fc.constant('map' as const), concurrency, fails: fc.integer({ min: 0, max: 10 }) }),
      fc.constant(undefined),
    ),
  )
  .map(([spec, before, generator, between, last]) => {
    const stages = [...before, generator, ...between, ...(last === undefined ? [] : [last])];
    const breakAfter = last === undefined ? (spec.breakAfter ?? 5) : spec.breakAfter;
    return { ...spec, stages, breakAfter, inFlight: needs(stages) + spec.inFlight };
  });

/** A pipeline with an `expand`, whose order does not matter to the stages around it. */
export const anyVisits: fc.Arbitrary<PipelineSpec> = fc
  .tuple(anyPipeline, fc.array(calling, { maxLength: 1 }), expanding, fc.array(calling, { maxLength: 1 }))
  .map(([spec, before, visits, after]) => ({ ...spec, stages: [...before, visits, ...after] }));
