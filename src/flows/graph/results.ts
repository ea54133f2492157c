/**
 * Results of nodes, between the threads of a run.
 *
 * Numbers, booleans, null and undefined lie in the words of the node. Another result stays with the thread that has made it, as a
 * copy, while only this thread takes it. When another thread may take it, it is packed into bytes on the heap, and each thread unpacks a copy of its
 * own. After the last node has taken it, the bytes are freed. So what a node returns is copied once before any other code runs, by one way or the other:
 * its function may write to the object again.
 *
 * - **V1** A result is `LOCAL` only while no other thread can run a node that takes it: while this thread is alone in the run, or if all nodes
 *   that take it are in this thread's list. So a result is packed before a successor is counted down that others count down, too; when the
 *   thread makes a chain, for the nodes in the chain; and when the thread is no longer alone.
 */
import { arenaOfThread, bytesAt, cloned, Parcel, pack } from '../../core/engine.js';
import { load, or, store, sub } from '../../core/memory/atomics.js';
import {
  FAILED,
  FALSE,
  FREED,
  frozen,
  type GraphRun,
  LOCAL,
  NOT_DONE,
  NULL,
  NUMBER,
  normal,
  PACKED,
  resultOf,
  SKIPPED,
  setResult,
  setState,
  stateOf,
  TRUE,
  UNDEFINED,
  W_BLOBS,
  W_FAILED,
  W_GROUP,
  W_STOPPED,
} from './run.js';
import { argsFrom, usesOf, workOf } from './topology.js';

/** Before the bytes: their number, and whether they are marked. */
const BLOB_HEADER = 16;

/** Writes the result of a node; one that is `LOCAL` then is still the object of its function, until `packResult` or `ownResult`. */
export function writeResult(run: GraphRun, node: number, value: unknown): void {
  // Plain: published by R1.
  switch (typeof value) {
    case 'number':
      setResult(run, node, value);
      setState(run, node, NUMBER);
      return;
    case 'undefined':
      setState(run, node, UNDEFINED);
      return;
    case 'boolean':
      setState(run, node, value ? TRUE : FALSE);
      return;
    default:
      if (value === null) {
        setState(run, node, NULL);
        return;
      }
      if (usesOf(run.topology, node) === 0 && !run.spec.partial) {
        setState(run, node, UNDEFINED); // nobody would free it
        return;
      }
      if (run.values.size >= run.room) dropDead(run);
      run.values.set(node, value);
      store(run.uses, node, usesOf(run.topology, node) + (run.spec.partial ? 1 : 0));
      setState(run, node, LOCAL);
  }
}

/** Forgets what was freed meanwhile. */
function dropDead(run: GraphRun): void {
  for (const node of run.values.keys()) if (stateOf(run, node) === FREED) run.values.delete(node);
  run.room = 2 * run.values.size + 64;
}

/** A result as this thread's functions get it. @throws what a node threw whose result could not be packed */
export function readResult(run: GraphRun, node: number): unknown {
  switch (
    stateOf(run, node) // plain: R1
  ) {
    case NUMBER:
      return normal(resultOf(run, node));
    case UNDEFINED:
      return undefined;
    case NULL:
      return null;
    case TRUE:
      return true;
    case FALSE:
      return false;
    case FAILED:
      throw readBlob(run, node);
    default:
      if (!run.values.has(node)) {
        const value = readBlob(run, node);
        if (run.values.size >= run.room) dropDead(run);
        run.values.set(node, run.checked ? frozen(value) : value);
      }
      return run.values.get(node);
  }
}

/** A node has taken the result of another one, or never will. */
export function releaseResult(run: GraphRun, node: number): void {
  const state = stateOf(run, node);
  if (state !== LOCAL && state !== PACKED) return;
  if (sub(run.uses, node, 1) !== 1) return;
  run.values.delete(node);
  if (state === PACKED) arenaOfThread().free(placeOf(run, node));
  setState(run, node, FREED); // plain: nobody else takes it; others that have a copy read this as a hint
}

const resultName = (node: string): string => `the result of node '${node}'`;

/** A copy of what the function of a node has returned. @throws NotShareableError */
export const ownCopy = (run: GraphRun, node: number, value: unknown): unknown =>
  cloned([value], () => resultName(run.nameOf(node)))[0];

/** Copies a result that stays on this thread. If it cannot be copied, the node fails. @returns whether it is there */
export function ownResult(run: GraphRun, node: number): boolean {
  const value = run.values.get(node);
  if (typeof value === 'string') return true;
  try {
    run.values.set(node, ownCopy(run, node, value));
    return true;
  } catch (error) {
    writeFailure(run, node, error);
    return false;
  }
}

/**
 * Puts a result that only this thread has onto the heap. If it cannot be packed, the node fails: whoever takes its result gets the error.
 *
 * @param isOwn whether nobody else has the object, so that nodes on this thread may take it as it is
 * @returns whether it is there
 */
export function packResult(run: GraphRun, node: number, isOwn = true): boolean {
  if (stateOf(run, node) !== LOCAL) return true;
  try {
    const value = run.values.get(node);
    writeBlob(run, node, value, resultName);
    setState(run, node, PACKED);
    if (run.packsAll || !(isOwn || typeof value === 'string')) run.values.delete(node); // it is taken as a copy even here
    return true;
  } catch (error) {
    writeFailure(run, node, error);
    return false;
  }
}

export function packAll(run: GraphRun): void {
  for (const node of run.values.keys()) packResult(run, node);
}

/** Writes what a node threw. */
export function writeFailure(run: GraphRun, node: number, error: unknown): void {
  run.values.delete(node);
  try {
    writeBlob(run, node, error, (name) => `what node '${name}' threw`);
  } catch {
    writeBlob(
      run,
      node,
      new Error(`furcate: node '${run.nameOf(node)}' threw what cannot be cloned: ${shown(error)}`),
      String,
    );
  }
  setState(run, node, FAILED);
  or(run.words, W_FAILED, 1);
  if (run.spec.stopOnError) store(run.words, W_STOPPED, 1);
}

/** Checks whether a ready node takes a result that has failed since. One fails late where its result cannot be packed. */
export function takesFailed(run: GraphRun, node: number): boolean {
  const { args } = run.topology;
  for (let k = argsFrom(run.topology, node), end = argsFrom(run.topology, node + 1); k < end; k++) {
    const code = args[k] as number;
    if (code >= 0 && stateOf(run, code) === FAILED) return true; // plain: R1
  }
  return false;
}

const shown = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return typeof error;
  }
};

/** Up to so many characters a text lies on the heap as it is: the serializer would take some 5 us. */
const TEXT_CHARACTERS = 256;
/** Kind of bytes, in their header. */
const PLAIN = 0;
const MARKED = 1;
const TEXT = 2;

/** Allocates so many bytes of a result, and returns them. They are written plainly: published by R1. */
function blobOf(run: GraphRun, node: number, length: number, kind: number): Uint8Array {
  const arena = arenaOfThread();
  const place = arena.allocate(BLOB_HEADER + length);
  const blob = bytesAt(place, BLOB_HEADER + length);
  const view = new DataView(blob.buffer, blob.byteOffset);
  view.setUint32(0, length);
  view.setUint32(4, kind);
  setResult(run, node, place);
  store(run.words, W_GROUP, arena.tag); // the same for all threads of the run
  store(run.words, W_BLOBS, 1);
  return blob.subarray(BLOB_HEADER);
}

function writeBlob(run: GraphRun, node: number, value: unknown, nameOf: (node: string) => string): void {
  if (typeof value === 'string' && value.length <= TEXT_CHARACTERS) {
    const units = unitsIn(blobOf(run, node, 2 * value.length, TEXT));
    for (let k = 0; k < units.length; k++) units[k] = value.charCodeAt(k);
    return;
  }
  const { bytes, isMarked } = pack([value], () => nameOf(run.nameOf(node)));
  blobOf(run, node, bytes.byteLength, isMarked ? MARKED : PLAIN).set(bytes);
}

const unitsIn = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint16Array =>
  new Uint16Array(buffer, byteOffset, byteLength / 2);

const placeOf = (run: GraphRun, node: number): number => resultOf(run, node);

function readBlob(run: GraphRun, node: number): unknown {
  const place = placeOf(run, node);
  const header = bytesAt(place, BLOB_HEADER);
  const view = new DataView(header.buffer, header.byteOffset);
  const bytes = bytesAt(place + BLOB_HEADER, view.getUint32(0));
  const kind = view.getUint32(4);
  return kind === TEXT ? String.fromCharCode(...unitsIn(bytes)) : new Parcel(bytes.slice(), kind === MARKED).open()[0];
}

/** Outcome of a run with the option `partial`, as its root tells it. */
export interface PartialOutcome {
  readonly value?: unknown;
  /** If nodes have failed: the first one, and all failures. */
  readonly node?: string;
  readonly errors?: readonly unknown[];
  readonly results?: ReadonlyMap<string, unknown>;
}

/**
 * Returns the outcome of the run.
 *
 * @returns the result; with the option `partial`, what `PartialOutcome` says
 * @throws the failure of the first node that has failed, which has all failures as `errors`
 */
export function outcomeOf(run: GraphRun): unknown {
  const { output, partial, name } = run.spec;
  if (load(run.words, W_FAILED) === 0) {
    if (output >= 0 && stateOf(run, output) === NOT_DONE)
      throw new Error(
        `furcate: taskGraph ${name}: node '${run.nameOf(output)}' has not run; this is a bug of the library.`,
      );
    const value = output < 0 ? run.constant(output) : readResult(run, output);
    return partial ? ({ value } satisfies PartialOutcome) : value;
  }
  const errors: unknown[] = [];
  const results = new Map<string, unknown>();
  let first = '';
  for (let node = 0; node < run.size; node++) {
    const state = stateOf(run, node);
    if (state === FAILED) {
      if (errors.length === 0) first = run.nameOf(node);
      errors.push(readBlob(run, node));
    } else if (partial && workOf(run.topology, node) >= 0 && state <= NUMBER && state >= PACKED)
      results.set(run.nameOf(node), readResult(run, node));
  }
  if (partial) return { node: first, errors, results } satisfies PartialOutcome;
  throw withErrors(errors, first);
}

/**
 * The first error, with the name of its node, and all errors. What the user's error has by these names stays. Those of a run inside of the node are replaced:
 * they are known by the error itself being the first of its errors.
 */
function withErrors(errors: readonly unknown[], node: string): unknown {
  const [error] = errors;
  if (typeof error !== 'object' || error === null) return error;
  try {
    const named = error as { node?: unknown; errors?: unknown };
    const isOfRun = Array.isArray(named.errors) && named.errors[0] === error;
    if (isOfRun || !('node' in named)) named.node = node;
    if (isOfRun || !('errors' in named)) named.errors = [...errors];
  } catch {
    // It is frozen, or its getters throw.
  }
  return error;
}

/**
 * Checks whether results ended with the workers that held them. Workers may crash while no task of the run is in flight.
 */
export const areGone = ({ words }: GraphRun): boolean =>
  load(words, W_BLOBS) !== 0 && load(words, W_GROUP) !== arenaOfThread().tag;

/** Frees what the results of a run have left, when none of its nodes runs any more. */
export function freeResults(run: GraphRun): void {
  if (load(run.words, W_BLOBS) === 0 || areGone(run)) return;
  for (let node = 0; node < run.size; node++) {
    const state = stateOf(run, node);
    if (state === PACKED || state === FAILED) arenaOfThread().free(placeOf(run, node));
    if (state !== NOT_DONE) setState(run, node, SKIPPED);
  }
  store(run.words, W_BLOBS, 0);
}
