/**
 * What a pool should be like, and the calls in flight on it.
 *
 * Two kinds of calls are in flight until the program tells them to end. Some hold a worker; they begin in the order in which they were
 * submitted. The others wait: asynchronous tasks, and calls of plain values whose source has not said all. They hold no worker, but go on only on
 * one that has its event loop: so they are told when no call holds a worker.
 */
import assert from 'node:assert/strict';
import type { ForkJoinPool } from 'furcate';
import { free } from 'furcate';
import { turn } from '../../helpers/event-loop.js';
import { whenSet } from '../../helpers/words.js';

export type Ending =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string } & Record<string, unknown> };

/** A call in flight. */
export interface Call {
  readonly name: string;
  /** Takes no notice of its cancellation until it is told. */
  readonly isDeaf: boolean;
  /** Word 0 says that it runs, word 1 tells it to end, and it counts in word 2. */
  readonly words: Int32Array;
  readonly controller: AbortController;
  readonly ending: Promise<Ending>;
  /** What it gives once it is told. */
  readonly value: unknown;
  /** Has it nothing on a worker while it waits? Then the end of all workers need not end it. */
  readonly outlivesWorkers?: boolean;
  tell(): void;
}

export interface Model {
  readonly parallelism: number;
  readonly maxQueue: number;
  readonly checked: boolean;
  closed: boolean;
  /** Those that hold a worker, or will: the first `parallelism` of them run. */
  readonly running: Call[];
  /** Those that hold none. */
  readonly waiting: Call[];
  /** Those that wait and were aborted while a call held their worker: they end once it has ended. */
  readonly aborted: Call[];
  /** Those that wait on the caller, and may have lost a chunk to a crash. */
  readonly maybeCrashed: Set<Call>;
}

export interface Real {
  readonly pool: ForkJoinPool;
}

export const isOpen = (model: Model): boolean => !model.closed;
export const hasFreeWorker = (model: Model): boolean => isOpen(model) && model.running.length < model.parallelism;
/** No call holds a worker. */
export const isIdle = (model: Model): boolean => isOpen(model) && model.running.length === 0;
/** Nothing is in flight. */
export const isQuiet = (model: Model): boolean => isIdle(model) && model.waiting.length + model.aborted.length === 0;
/** May any number of calls wait for a worker? */
export const hasEndlessQueue = ({ maxQueue }: Model): boolean => maxQueue === Number.POSITIVE_INFINITY;
/** Can one more call wait for a worker? */
export const hasRoom = (model: Model): boolean =>
  isOpen(model) && model.running.length < model.parallelism + model.maxQueue;

/**
 * Whether a call that runs ends as soon as it is told. One that has waited for 10 ms may begin on top of one that runs and looks up, and that one
 * then ends after it.
 */
export const endsAtOnce = ({ running, parallelism }: Model, k: number): boolean =>
  k >= parallelism || running.length <= parallelism || running[k]?.isDeaf === true;

export const endingOf = (promise: Promise<unknown>): Promise<Ending> =>
  promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );

/** The error of a promise that must reject. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const ending = await endingOf(promise);
  if ('value' in ending) assert.fail(`no error, but the value ${String(ending.value)}`);
  return ending.error as never;
}

export { turn };

/** Looks at an error, whose `properties` must be these. */
export function expectError(ending: Ending, properties: Readonly<Record<string, unknown>>): void {
  if ('value' in ending) assert.fail(`no error, but the value ${String(ending.value)}`);
  for (const [key, value] of Object.entries(properties))
    assert.deepEqual(ending.error[key], value, `${key} of ${String(ending.error)}`);
}

/** A call has ended: nothing of it writes any more, and its words are free. */
async function release({ name, words }: Call): Promise<void> {
  const writes = words[2];
  await turn();
  assert.equal(words[2], writes, `${name} writes after its end`);
  free(words);
}

/** Expects what a call gives that was told. */
export async function expectTold(model: Model, call: Call): Promise<void> {
  const ending = await call.ending;
  if (model.maybeCrashed.delete(call) && 'error' in ending) expectError(ending, { name: 'WorkerCrashError' });
  else assert.deepEqual(ending, { value: call.value });
}

/** Expects the error of a call that was aborted. */
export async function expectAborted(model: Model, call: Call): Promise<void> {
  const ending = await call.ending;
  if (model.maybeCrashed.delete(call) && 'error' in ending && ending.error.name === 'WorkerCrashError') return;
  expectError(ending, { name: 'AbortError', cause: call.name });
}

/** A call that held a worker has ended: the first of those that wait for one begins. */
export async function workerIsFree(model: Model, k: number): Promise<void> {
  const [gone] = model.running.splice(k, 1) as [Call];
  const next = model.running[model.parallelism - 1];
  if (k < model.parallelism && next !== undefined) await whenSet(next.words);
  await release(gone);
  if (!isIdle(model)) return;
  for (const call of model.aborted.splice(0)) {
    await expectAborted(model, call);
    await release(call);
  }
}

/** A call that waited has ended. */
export async function waitedEnough(model: Model, call: Call): Promise<void> {
  model.waiting.splice(model.waiting.indexOf(call), 1);
  await release(call);
}

/** All workers are gone: what they had ends with such an error. */
export async function allEnd(model: Model, properties: Readonly<Record<string, unknown>>): Promise<void> {
  const survives = (call: Call): boolean => properties['name'] === 'WorkerCrashError' && call.outlivesWorkers === true;
  const survivors = [...model.waiting, ...model.aborted].filter(survives);
  const gone = [...model.running, ...model.waiting].filter((call) => !survives(call));
  const aborted = model.aborted.filter((call) => !survives(call));
  for (const call of gone) expectError(await call.ending, properties);
  for (const call of aborted) await call.ending; // with its abort, or with the crash that came first
  for (const call of [...gone, ...aborted]) await release(call);
  for (const call of survivors) model.maybeCrashed.add(call);
  for (const list of [model.running, model.waiting, model.aborted])
    list.splice(0, list.length, ...list.filter((call) => survivors.includes(call)));
}

/** Lets all calls in flight end by themselves. */
export async function endAll(model: Model): Promise<void> {
  for (const call of [...model.running, ...model.waiting]) call.tell();
  for (const call of [...model.running.splice(0), ...model.waiting.splice(0)]) {
    await expectTold(model, call);
    await release(call);
  }
  for (const call of model.aborted.splice(0)) {
    await expectAborted(model, call);
    await release(call);
  }
}
