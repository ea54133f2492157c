/**
 * The tasks that run chunks of values; runs on every thread that computes.
 *
 * A task carries numbers only: the job of the call, and the place of its packed values on the shared heap, which the caller frees. Most
 * chunks run in asynchronous tasks, because nobody knows whether a function will return a promise before it has. A chunk whose calls
 * return none ends like a synchronous task. Code that may fork needs a synchronous task.
 */
import { jobKind, jobState, type Scope } from '../../core/engine.js';
import { Cargo, valuesAt } from '../../flow/cargo.js';
import { taskPair } from '../../flow/task-pair.js';
import { type ChunkResult, type OpenCall, openCall, resultNames, runChunk, type ValuesSpec } from './chunk.js';

/**
 * A chunk as the arguments of its task: the job; offset and length of the packed values, and whether they are marked; the index of the
 * first; and the limits (chunk.ts).
 */
export type ChunkArguments = [
  job: number,
  at: number,
  length: number,
  isMarked: boolean,
  first: number,
  atOnce: number,
  limitMs: number,
];

/** With the results: how many values were dealt with, in how many milliseconds; whether a call returned a promise. */
export type ChunkHead = [done: number, ms: number, isAsync: boolean, hasFailed: false];

/** The job of a call. */
export const VALUES = jobKind<ValuesSpec, OpenCall>('values', openCall);

/** A scope, as the library's own tasks see it. */
type CancellableScope = Scope & { cancel(error: unknown): void };

/** Runs a chunk. */
export const chunkTask = taskPair(
  'values',
  (job) => jobState<OpenCall>(job).spec.called,
  function* (scope, ...[job, at, length, isMarked, first, atOnce, limitMs]: ChunkArguments) {
    const call = jobState<OpenCall>(job);
    const cancel = (error: unknown): void => (scope as CancellableScope | undefined)?.cancel(error);
    const limits = { atOnce, arePacked: true, limitMs, scope, signal: scope?.signal, cancel };
    const result = runChunk(call, valuesAt([at, length, isMarked]), first, limits);
    const { results, done, ms, isAsync } = (yield result) as ChunkResult;
    const cargo = new Cargo(resultNames(call.spec, first));
    for (const one of results) cargo.add(one, true);
    return cargo.answer([done, ms, isAsync]);
  },
);
