/**
 * The tasks that call the functions of stages; runs on every thread that computes.
 *
 * A task carries numbers only: the job of the stage, and the place of its packed values on the shared heap, which the caller frees.
 */
import {
  builtin,
  builtinAsync,
  bytesAt,
  isPromise,
  jobKind,
  jobState,
  pack,
  packOutcome,
  report,
  type Scope,
  unpack,
  workerNumber,
} from '../../core/engine.js';
import { Steps, type StepsPlan, throwIfAborted } from './steps.js';

/** Where the packed values of a task are. */
export type Place = readonly [at: number, length: number, isMarked: boolean];

export const STEPS = jobKind<StepsPlan, Steps>('pipeline', (plan) => new Steps(plan));

/** Values that come back. */
type Packed = readonly [isMarked: boolean, bytes: Uint8Array];

export const valuesIn = ([isMarked, bytes]: Packed): unknown[] => unpack(bytes, isMarked);

const packed = (values: readonly unknown[], what: string): Packed => {
  const { bytes, isMarked } = pack(values, () => what);
  return [isMarked, bytes];
};

const valuesAt = ([at, length, isMarked]: Place): unknown[] => unpack(bytesAt(at, length).slice(), isMarked);

const resultOf = ({ plan: { steps } }: Steps): string => `the result of ${steps[steps.length - 1]?.called}`;

/**
 * How far a task got: how many of its items are done, in how many milliseconds, and whether a function has returned a promise; for each item that
 * is done how many it has become, unless each has become one; these. And what the next item failed with, if it is not the first.
 */
export type CallsAnswer = [
  done: number,
  ms: number,
  isAsync: boolean,
  counts: readonly number[] | undefined,
  values: Packed,
  failure?: Uint8Array,
];

/** Deals with items one after the other, until one fails. */
function runAll(
  steps: Steps,
  values: readonly unknown[],
  scope: Scope | undefined,
  deal: (value: unknown, k: number) => unknown[] | Promise<unknown[]>,
): CallsAnswer | Promise<CallsAnswer> {
  const startMs = performance.now();
  const results: unknown[] = [];
  const counts: number[] = [];
  const note = (made: readonly unknown[]): void => {
    counts.push(made.length);
    for (const one of made) results.push(one);
  };
  const answer = (isAsync: boolean, failure?: unknown[]): CallsAnswer => {
    steps.checkWrites();
    const ms = performance.now() - startMs;
    const isPlain = counts.every((count) => count === 1);
    const values = packed(results, resultOf(steps));
    return [
      counts.length,
      ms,
      isAsync,
      isPlain ? undefined : counts,
      values,
      failure && packOutcome({ failed: true, value: failure[0] }),
    ];
  };
  const failed = (error: unknown, isAsync: boolean): CallsAnswer => {
    if (counts.length === 0) throw error;
    return answer(isAsync, [error]);
  };
  const goOn = async (pending: Promise<unknown[]>, from: number): Promise<CallsAnswer> => {
    try {
      note(await pending);
      for (let k = from; k < values.length; k++) {
        throwIfAborted(scope);
        note(await deal(values[k], k));
      }
    } catch (error) {
      return failed(error, true);
    }
    return answer(true);
  };
  try {
    for (const [k, value] of values.entries()) {
      const made = deal(value, k);
      if (isPromise(made)) return goOn(made as Promise<unknown[]>, k + 1);
      note(made);
    }
  } catch (error) {
    return failed(error, false);
  }
  return answer(false);
}

function run(job: number, place: Place, scope?: Scope, holdMs = 0): CallsAnswer | Promise<CallsAnswer> {
  const steps = jobState<Steps>(job);
  const values = valuesAt(place);
  const kind = steps.plan.steps[0]?.kind;
  if (kind === 'scan' || kind === 'reduce') return fold(steps, values, scope);
  if (kind !== 'expand') return runAll(steps, values, scope, (value) => steps.one(value, scope));
  const feeding = { holdMs, send: (items: readonly unknown[]) => sendFed(steps, items, scope) };
  return runAll(steps, values, scope, (value) => steps.visit(value, scope, feeding));
}

/** Tells what a visit reports to its pipeline from what its function may report by itself. */
const FED = 'furcate: added by a visit';

const isPrimitive = (value: unknown): boolean => Object(value) !== value && typeof value !== 'symbol';

/** Tells the calling thread what a visit has added so far. Primitive values cross as they are, which takes a third of the time. */
function sendFed({ plan: { steps } }: Steps, items: readonly unknown[], scope: Scope | undefined): void {
  const isPacked = !items.every(isPrimitive);
  const fed = [FED, isPacked, ...(isPacked ? packed(items, `what ${steps[0]?.called} adds to its feed`) : items)];
  if (scope === undefined) report(fed);
  else scope.report(fed);
}

/** What a visit has added, of a report of its task; undefined for other reports. */
export function fedIn(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value) || value[0] !== FED) return undefined;
  const [, isPacked, ...items] = value as readonly unknown[];
  return isPacked === true ? valuesIn(items as unknown as Packed) : items;
}

/** The first value is the state. Answers with all states, or with the last one. */
function fold(steps: Steps, [first, ...values]: readonly unknown[], scope?: Scope): CallsAnswer | Promise<CallsAnswer> {
  let state = first;
  const isScan = steps.plan.steps[0]?.kind === 'scan';
  const became = (next: unknown, isLast: boolean): unknown[] => {
    state = next;
    return isScan || isLast ? [next] : [];
  };
  return runAll(steps, values, scope, (value, k) => {
    const next = steps.fold(state, value, scope);
    const isLast = k === values.length - 1;
    return isPromise(next) ? (next.then((one) => became(one, isLast)) as Promise<unknown[]>) : became(next, isLast);
  });
}

/** @param holdMs of `expand` alone: for how long a visit does not hand over what it adds */
type CallsArguments = readonly [job: number, at: number, length: number, isMarked: boolean, holdMs?: number];

export const callsTask = builtin('pipelineCalls', (...[job, at, length, isMarked, holdMs]: CallsArguments) =>
  run(job, [at, length, isMarked], undefined, holdMs),
);
export const asyncCallsTask = builtinAsync(
  'asyncPipelineCalls',
  (scope: Scope, ...[job, at, length, isMarked, holdMs]: CallsArguments) =>
    run(job, [at, length, isMarked], scope, holdMs),
);

/**
 * Some of what an item has become: how long that took; where the rest is to be had, the number of a worker and that of its generator; these. And
 * what the generator has failed with after them.
 */
export type PartAnswer = [ms: number, worker: number, rest: number, values: Packed, failure?: Uint8Array];

const OVER = 0;

interface Paused {
  readonly job: number;
  readonly steps: Steps;
  readonly items: AsyncGenerator<unknown, void>;
}

/** Generators that are paused on this thread. */
const paused = new Map<number, Paused>();
let latest = OVER;

/** Takes up to `count` items from a generator, and pauses it. It runs to its end where nothing could be sent to later. */
async function part(of: Paused, scope: Scope, count: number, mayPause: boolean): Promise<PartAnswer> {
  const { steps, items } = of;
  const startMs = performance.now();
  const worker = mayPause ? workerNumber() : undefined;
  const limit = worker === undefined ? Number.POSITIVE_INFINITY : count;
  const values: unknown[] = [];
  let rest = OVER;
  let failure: Uint8Array | undefined;
  try {
    for (;;) {
      const { done, value } = await items.next();
      if (done === true) break;
      if (scope.signal.aborted) {
        await items.return();
        throwIfAborted(scope);
      }
      values.push(value);
      if (values.length < limit) continue;
      rest = ++latest;
      paused.set(rest, of);
      break;
    }
    steps.checkWrites();
  } catch (error) {
    if (values.length === 0) throw error;
    failure = packOutcome({ failed: true, value: error });
  }
  return [performance.now() - startMs, worker ?? 0, rest, packed(values, resultOf(steps)), failure];
}

export const flatTask = builtin('pipelineFlat', (job: number, ...place: Place): PartAnswer => {
  const steps = jobState<Steps>(job);
  const startMs = performance.now();
  const values = steps.manyNow(valuesAt(place)[0]);
  steps.checkWrites();
  return [performance.now() - startMs, 0, OVER, packed(values, resultOf(steps))];
});

export const asyncFlatTask = builtinAsync(
  'asyncPipelineFlat',
  (scope: Scope, job: number, at: number, length: number, isMarked: boolean, count: number, mayPause: boolean) => {
    const steps = jobState<Steps>(job);
    const [value] = valuesAt([at, length, isMarked]);
    return part({ job, steps, items: steps.many(value, scope) }, scope, count, mayPause);
  },
);

/** Goes on with a generator; ends it, if `count` is 0. */
export const restTask = builtinAsync(
  'pipelineRest',
  async (scope: Scope, rest: number, count: number): Promise<PartAnswer> => {
    const found = paused.get(rest);
    paused.delete(rest);
    if (found === undefined)
      throw new Error('furcate: the generator of a flatMap() is gone, with the worker that it was on.');
    if (count > 0) return part(found, scope, count, true);
    await found.items.return();
    return [0, 0, OVER, packed([], '')];
  },
);

/** Ends all generators of a job on this thread: of calls that were cancelled just when they had paused theirs. */
export const endTask = builtinAsync('pipelineEnd', async (_: Scope, job: number): Promise<void> => {
  for (const [rest, found] of paused) {
    if (found.job !== job) continue;
    paused.delete(rest);
    await found.items.return();
  }
});
