/**
 * The tasks that run chunks of values; runs on every thread that computes.
 *
 * A task carries numbers only: the job of the call, and the place of its packed values on the shared heap, which the caller frees. Most
 * chunks run in asynchronous tasks, because nobody knows whether a function will return a promise before it has. A chunk whose calls
 * return none ends like a synchronous task. Code that may fork needs a synchronous task.
 */
import {
  builtin,
  builtinAsync,
  bytesAt,
  isPromise,
  jobKind,
  jobState,
  pack,
  type Scope,
  unpack,
} from '../../core/engine.js';
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

/** What comes back: how many values were dealt with, in how many milliseconds; whether a call returned a promise; packed results. */
export type ChunkAnswer = [done: number, ms: number, isAsync: boolean, isMarked?: boolean, bytes?: Uint8Array];

export const VALUES = jobKind<ValuesSpec, OpenCall>('values', openCall);

/** Calls with chunks that wait on this thread. An idle thread forgets jobs, and it is idle while chunks wait. */
const waiting = new Map<number, { readonly call: OpenCall; chunks: number }>();

/** @param cancel ends the task that runs the chunk: called by chunks that wait, in asynchronous tasks */
function run(
  [job, at, length, isMarked, first, atOnce, limitMs]: ChunkArguments,
  scope?: Scope,
  cancel: (error: unknown) => void = () => {},
): ChunkAnswer | Promise<ChunkAnswer> {
  const call = waiting.get(job)?.call ?? jobState<OpenCall>(job);
  const values = unpack(bytesAt(at, length).slice(), isMarked);
  const result = runChunk(call, values, first, { atOnce, limitMs, scope, signal: scope?.signal, cancel });
  return isPromise(result) ? whenDone(job, call, first, result) : answer(call, first, result);
}

async function whenDone(
  job: number,
  call: OpenCall,
  first: number,
  result: PromiseLike<ChunkResult>,
): Promise<ChunkAnswer> {
  const entry = waiting.get(job) ?? { call, chunks: 0 };
  waiting.set(job, entry);
  entry.chunks++;
  try {
    return answer(call, first, await result);
  } finally {
    if (--entry.chunks === 0) waiting.delete(job);
  }
}

function answer({ spec }: OpenCall, first: number, { results, done, ms, isAsync }: ChunkResult): ChunkAnswer {
  if (spec.purpose === 'each') return [done, ms, isAsync];
  const { bytes, isMarked } = pack(results, resultNames(spec, first));
  return [done, ms, isAsync, isMarked, bytes];
}

export const chunkTask = builtin('values', (...chunk: ChunkArguments) => run(chunk));
/** A scope, as the library's own tasks see it. */
type CancellableScope = Scope & { cancel(error: unknown): void };

export const asyncChunkTask = builtinAsync('asyncValues', (scope: CancellableScope, ...chunk: ChunkArguments) =>
  run(chunk, scope, (error) => scope.cancel(error)),
);
