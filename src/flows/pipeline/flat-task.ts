/**
 * The tasks of `flatMap`, which take some items of a generator and pause it; runs on every thread that computes.
 *
 * A paused generator lies in a table of its thread, and a task for that thread goes on with it. Two things end with a task, and so with a pause:
 *
 * - the frame of a synchronous task. What a generator forks it joins before it yields.
 * - the scope of an asynchronous one. So a task whose function has a scope stays open until its generator is over. It reports its first part,
 *   others go on with the generator, and the task waits for them.
 */
import { builtin, builtinAsync, cloned, jobState, packOutcome, type Scope, workerNumber } from '../../core/engine.js';
import { type Packed, type Place, packed, resultOf, valuesAt } from './calls-task.js';
import { type Steps, throwIfAborted } from './steps.js';

/**
 * Some of what an item has become: how long that took; where the rest is to be had, the number of a worker and that of its generator; these. And
 * what the generator has failed with after them.
 */
export type PartAnswer = [ms: number, worker: number, rest: number, values: Packed, failure?: Uint8Array | undefined];

const OVER = 0;
/** The generator is gone, with the worker that it was on. */
export const GONE = -1;

/** A generator on this thread. */
interface Making<Items> {
  readonly job: number;
  readonly steps: Steps;
  readonly items: Items;
  /** Where it is paused. */
  rest: number;
  /** Called when it is over, if a task waits for that. */
  over?: () => void;
}

type Now = Making<Generator<unknown, void>>;
type Later = Making<AsyncGenerator<unknown, void>>;

/** Generators that are paused on this thread. */
const paused = new Map<number, Now | Later>();
let latest = OVER;

/** The items of one part. A generator runs to its end where nothing could be sent to later. */
class Part {
  readonly #of: Now | Later;
  readonly #startMs = performance.now();
  readonly #worker: number | undefined;
  readonly #limit: number;
  readonly #values: unknown[] = [];

  constructor(of: Now | Later, count: number, mayPause: boolean) {
    this.#of = of;
    this.#worker = mayPause ? workerNumber() : undefined;
    this.#limit = this.#worker === undefined ? Number.POSITIVE_INFINITY : count;
  }

  /** Takes an item, cloned before the generator changes it; returns whether that is enough. @throws NotShareableError */
  isFullWith(value: unknown): boolean {
    this.#values.push(...cloned([value], () => resultOf(this.#of.steps)));
    return this.#values.length >= this.#limit;
  }

  paused(): PartAnswer {
    this.#of.rest = latest + 1;
    const answer = this.#checked();
    paused.set(++latest, this.#of); // last: the heap may be full
    return answer;
  }

  over(): PartAnswer {
    this.#of.rest = OVER;
    return this.#checked();
  }

  /** @throws the error, unless there are items before it */
  failed(error: unknown): PartAnswer {
    this.#of.rest = OVER;
    if (this.#values.length === 0) throw error;
    return this.#answer(packOutcome({ failed: true, value: error }));
  }

  #checked(): PartAnswer {
    this.#of.steps.checkWrites();
    return this.#answer();
  }

  #answer(failure?: Uint8Array): PartAnswer {
    const { steps, rest } = this.#of;
    const values = packed(this.#values, resultOf(steps));
    return [performance.now() - this.#startMs, this.#worker ?? 0, rest, values, failure];
  }
}

/** Takes up to `count` items from a generator, and pauses it. */
async function part(of: Later, scope: Scope, count: number, mayPause: boolean): Promise<PartAnswer> {
  const made = new Part(of, count, mayPause);
  try {
    for (;;) {
      const { done, value } = await of.items.next();
      if (done === true) return made.over();
      if (scope.signal.aborted) {
        await of.items.return();
        throwIfAborted(scope);
      }
      if (made.isFullWith(value)) return made.paused();
    }
  } catch (error) {
    await of.items.return().catch(() => {}); // it goes on unless the error is its own
    return made.failed(error);
  }
}

/** As `part`, in a synchronous task. */
function partNow(of: Now, count: number, mayPause: boolean): PartAnswer {
  const made = new Part(of, count, mayPause);
  try {
    for (;;) {
      const { done, value } = of.items.next();
      if (done === true) return made.over();
      if (made.isFullWith(value)) return made.paused();
    }
  } catch (error) {
    endNow(of); // it goes on unless the error is its own
    return made.failed(error);
  }
}

/** What a generator throws when it is ended is of no use: there is an error already. */
function endNow({ items }: Now): void {
  try {
    items.return();
  } catch {}
}

/** @returns undefined for one that is gone */
function taken(rest: number): Now | Later | undefined {
  const found = paused.get(rest);
  paused.delete(rest);
  return found;
}

const nothing = (rest = OVER): PartAnswer => [0, 0, rest, packed([], '')];

function* takenOf(job: number): Generator<Now | Later, void> {
  for (const [rest, found] of paused) {
    if (found.job !== job) continue;
    paused.delete(rest);
    yield found;
  }
}

export const flatTask = builtin(
  'pipelineFlat',
  (job: number, at: number, length: number, isMarked: boolean, count: number, mayPause: boolean): PartAnswer => {
    const steps = jobState<Steps>(job);
    const [value] = valuesAt([at, length, isMarked]);
    return partNow({ job, steps, items: steps.manyNow(value), rest: OVER }, count, mayPause);
  },
);

/** Goes on with a generator; ends it, if `count` is 0. */
export const restTask = builtin('pipelineRest', (rest: number, count: number): PartAnswer => {
  const found = taken(rest) as Now | undefined;
  if (found === undefined) return nothing(GONE);
  if (count > 0) return partNow(found, count, true);
  found.items.return();
  return nothing();
});

/** Ends all generators of a job on this thread: of calls that were cancelled just when they had paused theirs. */
export const endTask = builtin('pipelineEnd', (job: number): void => {
  for (const { items } of takenOf(job)) (items as Now['items']).return();
});

const PART = 'furcate: a part';

/** The first part of a generator, of a report of its task; undefined for other reports. */
export const partIn = (report: unknown): PartAnswer | undefined =>
  Array.isArray(report) && report[0] === PART ? (report[1] as PartAnswer) : undefined;

/** @param staysOpen whether the task goes on until the generator is over: then it reports the first part */
export const asyncFlatTask = builtinAsync(
  'asyncPipelineFlat',
  async (
    scope: Scope,
    ...[job, ...place]: [job: number, ...Place, count: number, mayPause: boolean, staysOpen: boolean]
  ) => {
    const [at, length, isMarked, count, mayPause, staysOpen] = place;
    const steps = jobState<Steps>(job);
    const [value] = valuesAt([at, length, isMarked]);
    const of: Later = { job, steps, items: steps.many(value, scope), rest: OVER };
    const first = await part(of, scope, count, mayPause);
    if (!staysOpen || of.rest === OVER) return first;
    const over = new Promise<void>((resolve) => {
      of.over = resolve;
      if (scope.signal.aborted) resolve();
      else scope.signal.addEventListener('abort', () => resolve());
    });
    scope.report([PART, first]);
    await over;
    if (scope.signal.aborted) {
      paused.delete(of.rest);
      await of.items.return();
      throwIfAborted(scope);
    }
    return nothing();
  },
);

export const asyncRestTask = builtinAsync(
  'asyncPipelineRest',
  async (scope: Scope, rest: number, count: number): Promise<PartAnswer> => {
    const found = taken(rest) as Later | undefined;
    if (found === undefined) return nothing(GONE);
    try {
      if (count > 0) return await part(found, scope, count, true);
      found.rest = OVER;
      await found.items.return();
      return nothing();
    } finally {
      if (found.rest === OVER) found.over?.();
    }
  },
);

export const asyncEndTask = builtinAsync('asyncPipelineEnd', async (_: Scope, job: number): Promise<void> => {
  for (const { items, over } of takenOf(job)) {
    await items.return();
    over?.();
  }
});
