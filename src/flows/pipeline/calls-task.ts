/**
 * The tasks that call the functions of stages; runs on every thread that computes.
 *
 * A task carries numbers only: the job of the stage, and the place of its packed values on the shared heap, which the caller frees.
 */
import {
  host,
  isPromise,
  jobKind,
  jobState,
  observerHere,
  Parcel,
  pack,
  report,
  type Scope,
} from '../../core/engine.js';
import { Cargo, valuesAt } from '../../flow/cargo.js';
import { isPrimitive } from '../../flow/returned.js';
import { taskPair } from '../../flow/task-pair.js';
import { Steps, type StepsPlan, throwIfAborted, whatAdds } from './steps.js';

/** The job of a stage. */
export const STEPS = jobKind<StepsPlan, Steps>(
  'pipeline',
  (plan) => new Steps(plan),
  (steps) => steps.close(),
);

/** Name of a task of such a job for who observes it. */
export const labelOf = (job: number): string => jobState<Steps>(job).called;

export const resultOf = ({ plan: { steps } }: Steps): string => `the result of ${steps[steps.length - 1]?.called}`;

/**
 * Progress of a task: how many of its items are done, in how many milliseconds, and whether a function has returned a promise; for each item that
 * is done how many it has become, unless each has become one; whether the item after them has failed. If the first one fails, so does the task.
 */
export type CallsHead = [
  done: number,
  ms: number,
  isAsync: boolean,
  counts: readonly number[] | undefined,
  hasFailed: boolean,
];

/** Items that an item becomes, or a promise of them. */
type Dealt = readonly unknown[] | Promise<readonly unknown[]>;

type DealWith = (value: unknown, k: number) => Dealt;

/** Deals with items one after the other, until one fails. */
function* runAll(
  steps: Steps,
  values: readonly unknown[],
  scope: Scope | undefined,
  deal: DealWith,
): Generator<unknown, Parcel, unknown> {
  const startMs = host().nowMs();
  const results = new Cargo(() => resultOf(steps));
  const counts: number[] = [];
  let isAsync = false;
  let failed: { readonly error: unknown } | undefined;
  try {
    for (const [k, value] of values.entries()) {
      if (isAsync) throwIfAborted(scope);
      let made = deal(value, k);
      if (isPromise(made)) {
        isAsync = true;
        made = (yield made) as readonly unknown[];
      }
      for (const one of made) results.add(one, values.length === 1); // alone, it leaves at once
      counts.push(made.length);
    }
  } catch (error) {
    if (counts.length === 0) throw error;
    failed = { error };
  }
  steps.checkWrites();
  const ms = host().nowMs() - startMs;
  const isPlain = counts.every((count) => count === 1);
  return results.answer([counts.length, ms, isAsync, isPlain ? undefined : counts], failed);
}

/** Tells primitive values that a visit reports to its pipeline from what its function may report by itself. */
const FED = 'furcate: added by a visit';

/** Tells the calling thread what visit `k` of a task has added so far. Primitive values cross as they are, which takes a third of the time. */
function sendFed({ plan: { steps } }: Steps, k: number, items: readonly unknown[], scope: Scope | undefined): void {
  const fed = items.every(isPrimitive)
    ? [FED, k, ...items]
    : pack([k, ...items], () => whatAdds(steps[0]?.called ?? ''));
  if (scope === undefined) report(fed);
  else scope.report(fed);
}

/** The number of a visit among those of a task, and the values that it has added, of a report of the task; undefined for other reports. */
export function fedIn(value: unknown): readonly [k: number, ...items: readonly unknown[]] | undefined {
  if (value instanceof Parcel) return value.open() as [number];
  return Array.isArray(value) && value[0] === FED ? (value.slice(1) as [number]) : undefined;
}

/** The first value is the state. Answers with all states, or with the last one. */
function fold(steps: Steps, scope: Scope | undefined, first: unknown, count: number): DealWith {
  let state = first;
  const isScan = steps.plan.steps[0]?.kind === 'scan';
  const became = (next: unknown, isLast: boolean): readonly unknown[] => {
    state = next;
    return isScan || isLast ? [next] : [];
  };
  return (value, k) => {
    const next = steps.fold(state, value, scope);
    const isLast = k === count - 1;
    return isPromise(next) ? (next.then((one) => became(one, isLast)) as Promise<unknown[]>) : became(next, isLast);
  };
}

/** Tells an observer of each call. */
function watched(steps: Steps, deal: DealWith, graph: number, calls: readonly (number | undefined)[]): DealWith {
  const observer = observerHere();
  if (observer === undefined) return deal;
  const run = { job: graph, spec: { name: 'pipeline' } };
  return (value, k) => {
    const call = calls[k];
    return call === undefined ? deal(value, k) : observer.node(run, call, steps.called, () => deal(value, k));
  };
}

/**
 * @param holdMs of `expand` alone: for how long a visit does not hand over what it adds
 * @param graph the number of the run, if somebody observes it, and those of the calls
 */
type CallsArguments = [
  job: number,
  at: number,
  length: number,
  isMarked: boolean,
  holdMs?: number,
  graph?: number,
  calls?: readonly (number | undefined)[],
];

export const callsTask = taskPair(
  'pipelineCalls',
  labelOf,
  (scope, ...[job, at, length, isMarked, holdMs = 0, graph = 0, calls]: CallsArguments) => {
    const steps = jobState<Steps>(job);
    const all = valuesAt([at, length, isMarked]);
    const kind = steps.plan.steps[0]?.kind;
    const isFold = kind === 'scan' || kind === 'reduce';
    const values = isFold || steps.plan.isIndexed ? all.slice(1) : all; // behind the state, or the indices
    let deal: DealWith = (value) => steps.one(value, scope);
    if (isFold) deal = fold(steps, scope, all[0], values.length);
    else if (steps.plan.isIndexed)
      deal = (value, k) => steps.one(value, scope, { index: (all[0] as readonly number[])[k] });
    else if (kind === 'expand') {
      deal = (value, k) => {
        const send = (items: readonly unknown[]): void => sendFed(steps, k, items, scope);
        return steps.visit(value, scope, { holdMs, send });
      };
    }
    return runAll(steps, values, scope, calls === undefined ? deal : watched(steps, deal, graph, calls));
  },
);
