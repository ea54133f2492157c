/** Makes the stages of a run from what the user has chained; runs on the calling thread. */
import { Batch, type BatchPlan } from './batch.js';
import { Calls } from './calls.js';
import { Distinct, type DistinctPlan } from './distinct.js';
import { Expand, type ExpandPlan } from './expand.js';
import { Flat } from './flat.js';
import { Fold, type FoldPlan } from './fold.js';
import type { Stage } from './item.js';
import type { StageFunction } from './options.js';
import { Reorder } from './reorder.js';
import { Results } from './results.js';
import type { Run, Stages } from './run.js';
import { Slice, type SlicePlan } from './slice.js';
import type { StepPlan } from './step.js';
import type { StepsPlan } from './steps.js';
import { type CallsPlan, TaskStage } from './task-stage.js';
import { Window, type WindowPlan } from './window.js';

/** A stage as the user has chained it. Those of kind `calls` make one item of an item or none: `map`, `filter`, `find`, `some`, `every`, `forEach`. */
export type StageLink =
  | { readonly kind: 'calls'; readonly fn: StageFunction; readonly isIndexed?: boolean }
  | { readonly kind: 'flatMap'; readonly fn: StageFunction }
  | {
      readonly kind: 'expand';
      readonly fn: StageFunction;
      readonly expand: Pick<ExpandPlan, 'uniqueBy' | 'maxPending'>;
    }
  | { readonly kind: 'fold'; readonly fn: StageFunction; readonly fold: Pick<FoldPlan, 'initial' | 'isScan'> }
  | { readonly kind: 'batch'; readonly batch: BatchPlan }
  | { readonly kind: 'slice'; readonly slice: SlicePlan }
  | { readonly kind: 'distinct'; readonly distinct: DistinctPlan }
  | { readonly kind: 'window'; readonly window: WindowPlan };

const isIndexed = (link: StageLink | undefined): boolean => link?.kind === 'calls' && link.isIndexed === true;

/** Kinds that hand on items in the order in which they come. Others are followed by a `Reorder`: `flatMap` always, the rest unless the next stage takes items in any order. */
const KEEP_ORDER = new Set<StageLink['kind']>(['batch', 'fold', 'slice', 'distinct', 'window']);
/** Kinds that number items anew, so that a leg begins there. */
const RENUMBER = new Set<StageLink['kind']>(['batch', 'expand', 'slice', 'distinct', 'window']);

/** Links that run as one stage: several only of the kinds that call functions. */
type CombinedLinks = { readonly link: StageLink; readonly fns: readonly StageFunction[] };

/**
 * Neighbours whose calls are limited by nothing but the pool run as one task for each item. What a `flatMap` makes of an item goes on as items of
 * their own, which may be dear.
 */
function combined(links: readonly StageLink[]): CombinedLinks[] {
  const made: CombinedLinks[] = [];
  for (const link of links) {
    const fns = 'fn' in link ? [link.fn] : [];
    const before = made[made.length - 1];
    if (
      before?.link.kind === 'calls' &&
      (link.kind === 'calls' || (link.kind === 'flatMap' && !isIndexed(before.link))) &&
      !isIndexed(link) &&
      mayCombine(before.fns, link.fn)
    )
      made[made.length - 1] = { link: isIndexed(before.link) ? before.link : link, fns: [...before.fns, ...fns] };
    else made.push({ link, fns });
  }
  return made;
}

const isFree = ({ concurrency, admission }: StageFunction): boolean =>
  concurrency === undefined && admission === undefined;

const mayCombine = (before: readonly StageFunction[], fn: StageFunction): boolean =>
  isFree(fn) && before.every((one) => isFree(one) && one.mayFork === fn.mayFork);

function stepsOf(fns: readonly StageFunction[], isIndexed: boolean): StepsPlan {
  const steps: readonly StepPlan[] = fns.map(({ step }) => step);
  const codes = steps.flatMap(({ fn, context }) => [fn.code, ...(context?.codes ?? [])]);
  return {
    steps,
    code: { codes },
    isSynchronous: fns.some(({ mayFork }) => mayFork) && !fns.some(({ isAsync }) => isAsync),
    isIndexed,
  };
}

function callsOf(fns: readonly StageFunction[], isIndexed = false): CallsPlan {
  const last = fns[fns.length - 1] as StageFunction;
  const { concurrency, admission } = last;
  const { transfer } = fns[0] as StageFunction; // what the others get does not leave its worker
  return {
    steps: stepsOf(fns, isIndexed),
    concurrency,
    admission,
    transfer,
    isAsync: fns.some(({ isAsync }) => isAsync),
  };
}

/** The product of the batches from a stage on: an open batch may hold so many places. */
export const batched = (links: readonly StageLink[]): number =>
  links.reduce((size, link) => (link.kind === 'batch' ? size * link.batch.size : size), 1);

/** The least number of items that one item of a `flatMap` may have on their way. */
const LEAST_WINDOW = 16;

/** The stages of a run, and its results. */
export function build(links: readonly StageLink[], run: Run): Stages {
  const results = new Results(run);
  const stages: Stage[] = [results];
  // From the last to the first, as each knows the next one. Legs are numbered from the source on.
  const linked = combined(links);
  const legs = new Array<number>(linked.length + 1);
  let leg = 0;
  const reorders = linked.map(({ link }, k) => {
    const isLast = k + 1 === linked.length;
    const following = linked[k + 1]?.link.kind;
    const mixes = !KEEP_ORDER.has(link.kind);
    const isOrderly = (following === 'calls' && !isIndexed(linked[k + 1]?.link)) || following === 'flatMap';
    return link.kind === 'flatMap' || (mixes && (isLast || !isOrderly));
  });
  for (const [k, { link }] of linked.entries()) {
    if (RENUMBER.has(link.kind)) leg++;
    legs[k] = leg;
    if (reorders[k]) leg++;
  }
  const add = <S extends Stage>(stage: S): S => {
    stages.unshift(stage);
    return stage;
  };
  let next: Stage = results;
  for (let k = linked.length - 1; k >= 0; k--) {
    const { link, fns } = linked[k] as CombinedLinks;
    const own = legs[k] as number;
    if (reorders[k]) next = add(new Reorder(run, own + 1, next));
    next = add(make(link, fns, own, next));
  }
  return { all: stages, first: next, results };

  function make(link: StageLink, fns: readonly StageFunction[], own: number, after: Stage): Stage {
    switch (link.kind) {
      case 'batch':
        return new Batch(run, link.batch, own, after);
      case 'slice':
        return new Slice(run, link.slice, own, after);
      case 'distinct':
        return new Distinct(run, link.distinct, own, after);
      case 'window':
        return new Window(run, link.window, own, after);
      case 'calls':
        return new TaskStage(run, callsOf(fns, isIndexed(link)), after, (stage) => new Calls(stage));
      case 'fold':
        return new TaskStage(run, { ...callsOf(fns), ...link.fold }, after, (stage) => new Fold(stage));
      case 'expand':
        return new TaskStage(run, { ...callsOf(fns), ...link.expand }, after, (stage) => new Expand(stage, own));
      case 'flatMap': {
        const following = links.slice(links.indexOf(link) + 1);
        const window = 2 * Math.max(LEAST_WINDOW, batched(following));
        const mayPause = run.call.scope === undefined;
        const hasScope = fns.some(({ step }) => step.takesScope);
        const plan = { ...callsOf(fns), window, mayPause, hasScope };
        return new TaskStage(run, plan, after as Reorder, (stage) => new Flat(stage));
      }
    }
  }
}
