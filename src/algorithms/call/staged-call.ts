/**
 * A call of an algorithm that works in stages: on the caller when that is known to be short, else in a pool; runs on the
 * calling thread.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { isShared } from '../../core/memory/shared-array.js';
import { parallelismOf } from '../../core/pool/call.js';
import { isComputing } from '../../core/worker/scheduler.js';
import type { Cost } from '../schedule/cost.js';
import { rangeWords } from '../schedule/ranges.js';
import { runStagesHere, type Stage, type StagedKind, stagesTask, stageValue } from '../schedule/stages.js';
import { CALLER_LIMIT_US, CALLER_MOST_US, COPY_NS_PER_BYTE, HELP_US, WORTH_COPIES } from '../tuning.js';
import type { CallArrays } from './call-arrays.js';
import { LocalArrays } from './local-arrays.js';
import type { Checked } from './options.js';
import { finished, progressFrom } from './progress.js';
import type { PreparedCall } from './settle.js';
import { SharedArrays } from './shared-arrays.js';
import { callsUser, mayFork, type UserCode } from './user-function.js';

export interface StagedCall<Spec extends object, R> {
  readonly name: string;
  readonly options: Checked;
  readonly kind: StagedKind<Spec>;
  /** What `onProgress` counts to. */
  readonly elements: number;
  /** How often the stages together count each element. */
  readonly passes: number;
  /** Of an element, in all stages together. */
  readonly cost: Cost;
  /** Makes the specification, asking for its arrays, and is asked again if a pool takes over. */
  spec(arrays: CallArrays): Spec;
  /** @param value of the stage, if that has one (`Stage.value`), and there are elements */
  result(arrays: CallArrays, spec: Spec, value: unknown): R;
  /** How many elements the first stage came to, if it may stop early. */
  ran?(spec: Spec): number;
  /** Mends what a failed job left, when nothing of it runs any more. */
  failed?(spec: Spec): void;
}

/** A call that its caller may do itself. */
export interface ShareableCall<Spec extends object, R> extends StagedCall<Spec, R> {
  /** Bytes that would have to be copied for a pool: see `copiedBytes`. */
  readonly copies: number;
}

/** Bytes of the arrays among these that are not shared: what a pool would have to be given as copies. */
export function copiedBytes(...arrays: readonly (TypedArray | undefined)[]): number {
  let bytes = 0;
  for (const xs of arrays) if (xs !== undefined && !isShared(xs)) bytes += xs.byteLength;
  return bytes;
}

/**
 * Whether the caller does a call at once: it is known not to take long, and sharing it among the pool's threads would not
 * save the round trip. With one thread nothing is saved, so only the time counts.
 */
export function isKnownShort({ threshold, call }: Checked, elements: number, cost: Cost): boolean {
  if (threshold !== 0 && threshold < elements) return false;
  const us = cost.estimateUs(elements);
  return us < CALLER_MOST_US && us - us / parallelismOf(call.pool) < HELP_US;
}

/**
 * Whether the caller must not do a call itself, however short it is: outside of tasks nothing can be forked, and nothing can
 * end a user's function on the caller's thread.
 */
export const needsPool = (code: UserCode, { awayFromCaller }: Checked): boolean =>
  !isComputing() && (mayFork(code) || (awayFromCaller && callsUser(code)));

/** Begins a call: runs it here if that is known to be short, or not worth its copies. */
export function beginStaged<Spec extends object, R>(call: ShareableCall<Spec, R>): PreparedCall<R> {
  const { options, elements, cost } = call;
  const known = cost.nsPerElement !== 0;
  const cheap = known && cost.nsPerElement * elements < WORTH_COPIES * COPY_NS_PER_BYTE * call.copies;
  if (elements > 0 && !cheap && !isKnownShort(options, elements, cost)) return beginInPool(call);
  const arrays = new LocalArrays();
  try {
    const spec = call.spec(arrays);
    if (elements > 0 && needsPool(spec, options)) {
      arrays.discard();
      return beginInPool(call);
    }
    let done = 0;
    const count = (counted: number): void => {
      done += counted;
    };
    let value: unknown;
    if (elements > 0) {
      const stages = call.kind.open(spec);
      const start = runHere(call, spec, stages, arrays, cheap, count);
      const [first] = stages;
      if (start !== undefined) {
        const collected = first.collect?.(0);
        try {
          return beginInPool(call, start, done / call.passes, arrays.written, collected && { stage: first, collected });
        } finally {
          arrays.discard();
        }
      }
      if (first.value !== undefined) value = stageValue(first);
    }
    finished(options.call, elements);
    const result = call.result(arrays, spec, value);
    return { job: undefined, result: () => result };
  } finally {
    arrays.release();
  }
}

function runHere<Spec extends object, R>(
  { failed }: StagedCall<Spec, R>,
  spec: Spec,
  stages: readonly Stage[],
  arrays: LocalArrays,
  toTheEnd: boolean,
  count: (elements: number) => void,
): number | undefined {
  try {
    return runStagesHere(stages, toTheEnd ? Number.POSITIVE_INFINITY : CALLER_LIMIT_US, count);
  } catch (error) {
    failed?.(spec);
    arrays.discard();
    throw error;
  }
}

/** What the caller has of a stage that has a value. */
interface Head {
  readonly stage: Stage;
  readonly collected: readonly unknown[];
}

/**
 * Begins a call that goes to a pool.
 *
 * @param start the unit of the first stage to begin with
 * @param done elements that the caller has done
 * @param written arrays that it has done them in
 * @param head what it has collected, of a stage that has a value
 */
export function beginInPool<Spec extends object, R>(
  call: StagedCall<Spec, R>,
  start = 0,
  done = 0,
  written: readonly TypedArray[] = [],
  head?: Head,
): PreparedCall<R> {
  const { name, options, kind, elements, passes, cost } = call;
  const arrays = new SharedArrays(name, written);
  let spec: Spec;
  try {
    spec = call.spec(arrays);
  } catch (error) {
    arrays.discard();
    arrays.release();
    throw error;
  }
  const progress = progressFrom(options.call, done, elements, passes);
  const total = (elements - done) * passes;
  const words = rangeWords(parallelismOf(options.call.pool));
  return {
    job: [progress, total, kind as unknown as StagedKind<object>, spec, stagesTask, start, 0, words],
    result(returned) {
      const [busyMs, given] = typeof returned === 'object' ? returned : [returned as number, undefined];
      const ran = (call.ran?.(spec) ?? elements) - done;
      if (ran > 0) cost.noteShared(ran, busyMs);
      arrays.writeBack();
      const value = head === undefined ? given : stageValue(head.stage, [...head.collected, ...(given as unknown[])]);
      return call.result(arrays, spec, value);
    },
    failed() {
      call.failed?.(spec);
      arrays.discard();
    },
    release: () => arrays.release(),
  };
}
