/**
 * A call of an algorithm that works in stages: on the caller when that is known to be short, else in a pool; runs on the
 * calling thread.
 */

import { type Call, type Callee, isComputing, isShared } from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import type { Cost } from '../schedule/cost.js';
import { rangeWords } from '../schedule/ranges.js';
import { runStagesHere, type StagedKind, stagesTask, stageValue, stepsOf } from '../schedule/stages.js';
import { CALLER_LIMIT_US, CALLER_MOST_US, COPY_NS_PER_BYTE, FORK_HELP_US, HELP_US, WORTH_COPIES } from '../tuning.js';
import type { PreparedCall, Start } from './algorithm.js';
import type { CallArrays } from './call-arrays.js';
import { LocalArrays } from './local-arrays.js';
import type { Checked } from './options.js';
import { SharedArrays } from './shared-arrays.js';
import { callsUser, mayFork, type UserCode } from './user-function.js';

export interface StagedCall<Spec extends object, R> {
  readonly callee: Callee;
  readonly options: Checked;
  /** Number of elements, to which `onProgress` counts. */
  readonly elements: number;
  /** Number of times that the stages together count each element; once if this is left out. */
  readonly passes?: number;
  readonly kind: StagedKind<Spec>;
  /** Of an element, in all stages together. */
  readonly cost: Cost;
  /** Bytes that would have to be copied for a pool: see `copiedBytes`. */
  readonly copies?: number;
  /** Makes the specification, and asks for its arrays. It is called again if a pool takes over. */
  spec(arrays: CallArrays): Spec;
  /** @param value the value of the stage, if it has one (`Stage.value`) and there are elements */
  result(arrays: CallArrays, spec: Spec, value: unknown): R;
  /** Number of elements that the first stage has dealt with, if it may stop early. */
  readonly ran?: ((spec: Spec) => number) | undefined;
  /** Repairs what a failed job has left, when nothing of it runs any more. */
  failed?(spec: Spec): void;
}

/** Bytes of those arrays that are not shared, which a pool would need as copies. */
export function copiedBytes(...arrays: readonly (TypedArray | undefined)[]): number {
  let bytes = 0;
  for (const xs of arrays) if (xs !== undefined && !isShared(xs)) bytes += xs.byteLength;
  return bytes;
}

/** Returns true if sharing so much work among so many threads saves less than it costs, and the caller may take so long. */
export const isShort = (us: number, parallelism: number): boolean =>
  us < CALLER_MOST_US && us - us / parallelism < (isComputing() ? FORK_HELP_US : HELP_US);

/**
 * Returns true if the caller does a call at once: the call is known not to take long, and sharing it among the pool's threads
 * would not save as much as the round trip costs. With one thread nothing is saved, so only the time counts.
 */
export function isKnownShort({ threshold, parallelism }: Checked, elements: number, cost: Cost): boolean {
  if (threshold !== 0 && threshold < elements) return false;
  return isShort(cost.estimateUs(elements), parallelism);
}

/**
 * Returns true if the caller must not do a call itself, however short it is: outside of tasks nothing can be forked, and
 * nothing can end a user's function on the caller's thread.
 */
export const needsPool = (code: UserCode, { awayFromCaller }: Checked): boolean =>
  !isComputing() && (mayFork(code) || (awayFromCaller && callsUser(code)));

/** Begins a call that was checked: it is done here if it is known to be short, or not worth its copies. */
export function beginStaged<Spec extends object, R>(call: StagedCall<Spec, R>): Start<R> {
  return () => startStaged(call);
}

function startStaged<Spec extends object, R>(call: StagedCall<Spec, R>): PreparedCall<R> {
  const { options, elements, passes = 1, cost, copies = 0 } = call;
  const known = cost.nsPerElement !== 0;
  const cheap = known && cost.nsPerElement * elements < WORTH_COPIES * COPY_NS_PER_BYTE * copies;
  if (elements > 0 && !cheap && !isKnownShort(options, elements, cost)) return startInPool(call);
  const arrays = new LocalArrays();
  let isDelivered = false;
  try {
    const spec = call.spec(arrays);
    let value: unknown;
    if (elements > 0) {
      if (needsPool(spec, options)) return startInPool(call);
      const stages = call.kind.open(spec);
      const [stage] = stages;
      let done = 0;
      const start = runStagesHere(stages, cheap ? Number.POSITIVE_INFINITY : CALLER_LIMIT_US, (counted) => {
        done += counted;
      });
      if (start !== undefined) {
        const collected = stage.collect?.(0);
        const valueWith = collected && ((rest: readonly unknown[]) => stageValue(stage, [...collected, ...rest]));
        return startInPool(call, { start, done: done / passes, written: arrays.written, valueWith });
      }
      if (stage.value !== undefined) value = stageValue(stage);
    }
    options.call.onProgress?.(elements, elements);
    const result = call.result(arrays, spec, value);
    isDelivered = true;
    return { job: undefined, result: () => result };
  } finally {
    if (!isDelivered) arrays.discard();
    arrays.release();
  }
}

/** Part of a call that the caller has done before a pool takes over. */
interface DoneHere {
  /** The unit of the first stage to go on with. */
  readonly start: number;
  /** Elements that are done. */
  readonly done: number;
  /** The arrays that they were done in. */
  readonly written: readonly TypedArray[];
  /** If the stage has a value: the value, from what the caller has collected and what the pool has. */
  readonly valueWith?: ((collected: readonly unknown[]) => unknown) | undefined;
}

const NOTHING_DONE: DoneHere = { start: 0, done: 0, written: [] };

/**
 * The call, for a job that goes on from `before` elements of a call: `onProgress` counts elements of the input once, however often
 * the job counts them.
 */
function progressFrom<Spec extends object, R>(before: number, call: StagedCall<Spec, R>): Call {
  const { options, elements, passes = 1 } = call;
  const { onProgress } = options.call;
  if (onProgress === undefined || (before === 0 && passes === 1)) return options.call;
  const report = (done: number): void => onProgress(Math.min(elements, before + Math.floor(done / passes)), elements);
  return options.call.with({ onProgress: report });
}

/** Starts a call that goes to a pool. */
export function startInPool<Spec extends object, R>(call: StagedCall<Spec, R>, head = NOTHING_DONE): PreparedCall<R> {
  const { callee, options, kind, elements, passes = 1, cost } = call;
  const { start, done, written, valueWith } = head;
  options.call.startEarly(); // first, because threads take 30 ms to come up
  const arrays = new SharedArrays(callee.name, written);
  let spec: Spec;
  try {
    spec = call.spec(arrays);
  } catch (error) {
    arrays.discard();
    arrays.release();
    throw error;
  }
  return {
    job: progressFrom(done, call).job({
      total: (elements - done) * passes,
      kind,
      spec,
      root: stagesTask,
      steps: stepsOf,
      from: start,
      sharedWords: rangeWords(options.parallelism),
    }),
    result(returned) {
      const [busyMs, given] = typeof returned === 'object' ? returned : [returned as number, undefined];
      const ran = (call.ran?.(spec) ?? elements) - done;
      if (ran > 0) cost.noteShared(ran, busyMs);
      arrays.writeBack();
      return call.result(arrays, spec, valueWith === undefined ? given : valueWith(given as unknown[]));
    },
    failed() {
      call.failed?.(spec);
      arrays.discard();
    },
    release: () => arrays.release(),
  };
}
