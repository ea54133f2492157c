/**
 * Jobs: what all tasks of one algorithm call share, by number; runs on every thread that computes.
 *
 * The caller puts the specification (functions, context, arrays) into a blob on the shared heap. Each realm that meets the
 * number decodes the specification once and opens it: it compiles functions and makes its loops. So tasks carry numbers only.
 *
 * ```
 * word 0        1        2       3, 4               5         32 ..                         ..
 * serial        bytes    kind    elements done      shared    words that its tasks share    specification
 * ```
 *
 * A job's number is serial * 2^28 + offset / 16, which is exact in a double. So the number of a job that has ended is not taken for
 * that of the next job at the same place.
 */
import { supplier } from '../code/supplier.js';
import { type CodeEntry, codeTable } from '../code/table.js';
import type { Arena } from '../memory/arena.js';
import { load, store } from '../memory/atomics.js';
import { bytesAt, heapAvailable } from '../memory/heap.js';
import { Pins } from '../memory/pins.js';
import { addCount, readCount } from '../memory/wide-count.js';
import { fromBytes, toBytes } from '../task/values.js';

/** A kind of job. It is an entry of the code table whose `url` is the origin of the module that declares the kind. */
export interface JobKind<Spec, State> extends CodeEntry {
  /** @internal */ readonly open: (spec: Spec) => State;
  /** @internal */ close?(state: State): void;
}

interface KnownJob {
  readonly job: number;
  readonly header: Int32Array;
  /** The words that its tasks share. */
  readonly words: Int32Array;
  readonly kind: JobKind<never, unknown>;
  /** Keeps the caller's arrays alive while others work on them. */
  readonly spec: unknown;
  /** The state that opening it gave; undefined until then, because a caller that only waits does not need it. */
  state: unknown;
  /** The arrays that the specification names; in the realm that started the job. */
  readonly pins?: Pins;
  /** Reports progress from this thread: the Sync forms have no event loop to report from. */
  watch?: { readonly everyMs: number; readonly report: (elements: number) => void; dueMs: number };
}

const J_SERIAL = 0;
const J_BYTES = 1;
const J_KIND = 2;
const J_DONE = 3;
const J_SHARED = 5;
/** The serial of a job that has ended. */
const NO_SERIAL = -1;
/** Two cache lines, because all threads write to the words after the header. */
const HEADER_BYTES = 128;
const PLACES = 2 ** 28;
/** Serials stay below 2^24, so that numbers stay exact. */
const SERIALS = 2 ** 24;

/** By name. */
const kinds = new Map<string, JobKind<never, unknown>>();
const known = new Map<number, KnownJob>();
let latest: KnownJob | undefined;
let serial = Math.floor(Math.random() * SERIALS);

/**
 * Declares a kind of job, at import.
 *
 * @param name unique in the library
 * @param start makes of a specification what tasks need; runs once in each realm that takes part in a call
 * @param close ends what tasks have left in such a realm: when it is idle after the end of the call. Must not throw
 */
export function jobKind<Spec, State>(
  name: string,
  start: (spec: Spec) => State,
  close?: (state: State) => void,
): JobKind<Spec, State> {
  const kind = { kind: 'job' as const, url: supplier.origin(), name, open: start, ...(close && { close }) };
  kinds.set(name, kind as unknown as JobKind<never, unknown>);
  return kind;
}

/** The state that `open` has made of a job in this realm. Inside a task of that job. */
export function jobState<State>(job: number): State {
  const found = find(job);
  found.state ??= found.kind.open(found.spec as never);
  return found.state as State;
}

/** The name of the kind of a job. */
export const jobName = (job: number): string => find(job).kind.name;

/** The words that the tasks of a job share, with any values at first: as many as `startJob` was told. Inside a task of the job. */
export function jobWords(job: number): Int32Array {
  return find(job).words;
}

/** Counts elements that a task has finished, for `onProgress`. */
export function addProgress(job: number, elements: number): void {
  const { header, watch } = find(job);
  addCount(header, J_DONE, elements);
  if (watch === undefined) return;
  const nowMs = performance.now();
  if (nowMs < watch.dueMs) return;
  watch.dueMs = nowMs + watch.everyMs;
  watch.report(readCount(header, J_DONE));
}

/** Reports a job's progress whenever this thread counts elements, until the job is closed. */
export function watchProgress(job: number, everyMs: number, report: (elements: number) => void): void {
  find(job).watch = { everyMs, report, dueMs: performance.now() + everyMs };
}

/** Elements that all threads together have finished so far. */
export const progressOf = (job: number): number => readCount(find(job).header, J_DONE);

/**
 * Makes a job known to all threads.
 *
 * @param sharedWords how many words its tasks share
 * @param arena where the job lies: the caller's own arena, or that of the worker group whose task calls
 */
export function startJob<Spec, State>(
  kind: JobKind<Spec, State>,
  spec: Spec,
  sharedWords: number,
  arena: Arena,
): number {
  if (!heapAvailable()) return startAlone(kind, spec, sharedWords);
  supplier.share();
  const code = codeTable().idOfRegistration(kind); // before there is a block: the heap may be full
  const pins = new Pins();
  const { bytes, offset } = pins.during(() => {
    const bytes = toBytes(spec);
    return { bytes, offset: arena.allocate(specAt(sharedWords) + bytes.byteLength) };
  });
  serial = (serial + 1) % SERIALS;
  const job = serial * PLACES + offset / 16;
  const header = wordsAt(offset, HEADER_BYTES / 4);
  header[J_SHARED] = sharedWords; // plain, as the next two: tasks that name the job are published later
  header[J_BYTES] = bytes.byteLength;
  header[J_KIND] = code;
  store(header, J_DONE, 0);
  store(header, J_DONE + 1, 0);
  bytesAt(offset + specAt(sharedWords), bytes.byteLength).set(bytes);
  store(header, J_SERIAL, serial);
  const words = wordsAt(offset + HEADER_BYTES, sharedWords);
  latest = { job, header, words, kind: kind as unknown as JobKind<never, unknown>, spec, state: undefined, pins };
  known.set(job, latest);
  return job;
}

/** As `startJob` where memory cannot be shared: the job is this thread's alone. */
function startAlone<Spec, State>(kind: JobKind<Spec, State>, spec: Spec, sharedWords: number): number {
  serial = (serial + 1) % SERIALS;
  const job = serial * PLACES;
  const [header, words] = [HEADER_BYTES / 4, sharedWords].map((length) => new Int32Array(length));
  store(header, J_SERIAL, serial);
  latest = { job, header, words, kind: kind as unknown as JobKind<never, unknown>, spec, state: undefined };
  known.set(job, latest);
  return job;
}

/** Frees a job in its arena, when none of its tasks is left. */
export function closeJob(job: number, arena: Arena): void {
  const found = known.get(job) as KnownJob;
  const { header, pins } = found;
  pins?.release();
  forget(found);
  store(header, J_SERIAL, NO_SERIAL);
  if (heapAvailable()) arena.free((job % PLACES) * 16);
}

function forget({ job, kind, state }: KnownJob): void {
  known.delete(job);
  if (latest?.job === job) latest = undefined;
  if (state !== undefined) kind.close?.(state as never);
}

/**
 * Drops what this realm has opened of jobs that have ended; called by idle workers. Jobs that go on stay open: their next task may come at
 * any moment, and to open them anew takes as long as their specification is large.
 */
export function forgetEndedJobs(): void {
  for (const found of known.values()) if (hasEnded(found.job, found.header)) forget(found);
}

/** The bytes of a job that has ended may be those of anything: if they look like the job by chance, it is dropped later. */
const hasEnded = (job: number, header: Int32Array): boolean => load(header, J_SERIAL) !== Math.floor(job / PLACES);

function find(job: number): KnownJob {
  if (latest?.job === job) return latest;
  let found = known.get(job);
  if (found === undefined) {
    found = decode(job);
    known.set(job, found);
  }
  latest = found;
  return found;
}

function decode(job: number): KnownJob {
  const offset = (job % PLACES) * 16;
  const header = wordsAt(offset, HEADER_BYTES / 4);
  if (hasEnded(job, header)) throw new Error(`furcate: job ${job} has ended.`);
  const kind = kindOf(header[J_KIND]);
  const words = wordsAt(offset + HEADER_BYTES, header[J_SHARED]);
  const spec = fromBytes(bytesAt(offset + specAt(words.length), header[J_BYTES]).slice());
  return { job, header, words, kind, spec, state: undefined };
}

/** The kind of an id. A thread that has not met the kind asks its supplier for the module that declares it. */
function kindOf(id: number): JobKind<never, unknown> {
  const { url, name } = codeTable().entry(id);
  if (!kinds.has(name)) supplier.supply(url);
  return kinds.get(name) as JobKind<never, unknown>;
}

const specAt = (sharedWords: number): number => HEADER_BYTES + 4 * sharedWords;

function wordsAt(offset: number, count: number): Int32Array {
  const bytes = bytesAt(offset, 4 * count);
  return new Int32Array(bytes.buffer, bytes.byteOffset, count);
}
