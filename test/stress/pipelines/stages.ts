/** The stages of random pipelines, and what a plain loop makes of their items. */
import fc from 'fast-check';
import { CALLING } from './calling-stages.js';
import { FAILING } from './failing-stages.js';
import { ORDERING } from './ordering-stages.js';
import type { Item } from './sources.js';
import type { Around, Made, OnFailure, Stage, StageSpec } from './stage.js';

const STAGES = { ...CALLING, ...ORDERING, ...FAILING };
export type StageName = keyof typeof STAGES;
export const STAGE_NAMES = Object.keys(STAGES) as readonly StageName[];

export const stageOf = ({ kind }: StageSpec): Stage => STAGES[kind];

export function addStage(made: Made, spec: StageSpec, around: Around): Made {
  const { concurrency, isLimited } = spec;
  const options = { ...(concurrency !== undefined && { concurrency }), ...(isLimited && { limit: around.limit }) };
  return stageOf(spec).add(made, { ...spec, options }, around);
}

/** What a plain loop makes of the items of a source. */
export function plainItems(source: Iterable<Item>, stages: readonly StageSpec[], fail: OnFailure): Iterable<Item> {
  let made = source;
  for (const spec of stages) made = stageOf(spec).plainly(made, spec, fail);
  return made;
}

/** How many places open batches may hold. */
export const neededBy = (stages: readonly StageSpec[]): number =>
  stages.reduce((product, { kind, size }) => (kind === 'batch' ? product * size : product), 1);

const anyStage: fc.Arbitrary<StageSpec> = fc.record({
  kind: fc.constantFrom(...STAGE_NAMES),
  size: fc.integer({ min: 1, max: 5 }),
  concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  isLimited: fc.nat(5).map((k) => k === 0),
});

/** Stages that fit together: one that makes many items of each at most, and those that must be first or last there. @param isMixed whether the items come in any order */
export const anyStages = (isMixed: boolean): fc.Arbitrary<StageSpec[]> =>
  fc.array(anyStage, { minLength: 1, maxLength: 4 }).map((all) => {
    const fitting: StageSpec[] = [];
    let areMixed = isMixed;
    let hasMany = false;
    for (const [k, spec] of all.entries()) {
      const stage = stageOf(spec);
      if (stage.isOrderly === true && areMixed) continue;
      if (stage.isMany === true && hasMany) continue;
      if ((stage.isFirst === true && k > 0) || (stage.isLast === true && k < all.length - 1)) continue;
      hasMany ||= stage.isMany === true;
      areMixed ||= stage.isMixed === true;
      fitting.push(spec);
    }
    return fitting;
  });
