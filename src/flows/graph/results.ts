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
import { arenaOfThread, bytesAt, cloneOfValue, Parcel, pack } from '../../core/engine.js';
import { load, or, store, sub } from '../../core/memory/atomics.js';
import { constructorOfType, isOnOwnMemory, typeOfView } from '../../core/memory/element-types.js';
import { textOf } from '../../flow/text.js';
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

/** Writes a result that fits into the words of the node. @returns false for any other */
export function tryWriteResult(run: GraphRun, node: number, value: unknown): boolean {
  // Plain: published by R1.
  switch (typeof value) {
    case 'number':
      setResult(run, node, value);
      setState(run, node, NUMBER);
      return true;
    case 'undefined':
      setState(run, node, UNDEFINED);
      return true;
    case 'boolean':
      setState(run, node, value ? TRUE : FALSE);
      return true;
    default:
      if (value !== null) return false;
      setState(run, node, NULL);
      return true;
  }
}

/**
 * Keeps a result that does not fit there, and that this thread alone takes. If it cannot be copied, the node fails: whoever takes its result gets the error.
 *
 * @param isOwn whether nobody else has the object: a function may write again to what it has returned
 * @returns whether it is there
 */
export function keepResult(run: GraphRun, node: number, value: unknown, isOwn: boolean): boolean {
  const uses = usesIn(run, node);
  if (uses === 0) return forget(run, node);
  try {
    remember(run, node, isOwn ? value : ownCopy(run, node, value));
  } catch (error) {
    writeFailure(run, node, error);
    return false;
  }
  store(run.uses, node, uses);
  setState(run, node, LOCAL);
  return true;
}

/** As `keepResult`, of a result that other threads may take. */
export function shareResult(run: GraphRun, node: number, value: unknown, isOwn: boolean): boolean {
  const uses = usesIn(run, node);
  if (uses === 0) return forget(run, node);
  try {
    const bytes = writeBlob(run, node, value, resultName);
    if (!run.packsAll && isOwn) remember(run, node, value);
    else if (!run.packsAll && bytes <= SMALL_BYTES) rememberCopy(run, node, value);
  } catch (error) {
    writeFailure(run, node, error);
    return false;
  }
  store(run.uses, node, uses);
  setState(run, node, PACKED);
  return true;
}

const usesIn = ({ topology, spec }: GraphRun, node: number): number => usesOf(topology, node) + (spec.partial ? 1 : 0);

/** Nobody takes a result, and nobody would free it. */
function forget(run: GraphRun, node: number): true {
  setState(run, node, UNDEFINED);
  return true;
}

/** Most bytes of a packed result of which the thread that has made it keeps a copy for its own nodes: to unpack it would take longer. */
const SMALL_BYTES = 4096;

function remember(run: GraphRun, node: number, value: unknown): void {
  if (run.values.size >= run.room) dropDead(run);
  run.values.set(node, value);
}

/** Keeps a copy of what is packed. */
function rememberCopy(run: GraphRun, node: number, value: unknown): void {
  try {
    remember(run, node, ownCopy(run, node, value));
  } catch {
    // It is unpacked where it is taken.
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
        remember(run, node, run.checked ? frozen(value) : value);
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
  cloneOfValue(value, nameOfResult, run, node);

const nameOfResult = (run: GraphRun, node: number): string => resultName(run.nameOf(node));

/** Puts a copy that only this thread has onto the heap. If it cannot be packed, the node fails. */
export function packResult(run: GraphRun, node: number): void {
  if (stateOf(run, node) !== LOCAL) return;
  try {
    writeBlob(run, node, run.values.get(node), resultName);
    setState(run, node, PACKED);
  } catch (error) {
    writeFailure(run, node, error);
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

/** Up to so many characters a text, or an object as JSON, lies on the heap as it is: the serializer would take some 5 us, and 2 for longer ones. */
const TEXT_CHARACTERS = 512;
const SMALL = { objects: 16, elements: 128 };
/** Kind of bytes, in the lowest byte of the second word of their header; for a view its element type is in the next one. */
const PLAIN = 0;
const MARKED = 1;
const TEXT = 2;
const JSON_TEXT = 3;
const VIEW = 4;

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

/** @returns how many bytes it takes */
function writeBlob(run: GraphRun, node: number, value: unknown, nameOf: (node: string) => string): number {
  if (isOnOwnMemory(value)) {
    const { buffer, byteOffset, byteLength } = value;
    blobOf(run, node, byteLength, VIEW | (typeOfView(value) << 8)).set(new Uint8Array(buffer, byteOffset, byteLength));
    return byteLength;
  }
  const isText = typeof value === 'string';
  const text = isText ? value : textOf(value, SMALL);
  if (text !== undefined && text.length <= TEXT_CHARACTERS) {
    const units = unitsIn(blobOf(run, node, 2 * text.length, isText ? TEXT : JSON_TEXT));
    for (let k = 0; k < units.length; k++) units[k] = text.charCodeAt(k);
    return units.byteLength;
  }
  const { bytes, isMarked } = pack([value], () => nameOf(run.nameOf(node)));
  blobOf(run, node, bytes.byteLength, isMarked ? MARKED : PLAIN).set(bytes);
  return bytes.byteLength;
}

/** A view of a type on bytes that nobody else has. */
function viewOfBytes({ buffer }: Uint8Array, type: number): ArrayBufferView {
  const View = constructorOfType(type);
  return View === undefined ? new DataView(buffer) : new View(buffer);
}

const readText = (units: Uint16Array): string => Reflect.apply(String.fromCharCode, null, units);

const unitsIn = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint16Array =>
  new Uint16Array(buffer, byteOffset, byteLength / 2);

const placeOf = (run: GraphRun, node: number): number => resultOf(run, node);

function readBlob(run: GraphRun, node: number): unknown {
  const place = placeOf(run, node);
  const header = bytesAt(place, BLOB_HEADER);
  const view = new DataView(header.buffer, header.byteOffset);
  const bytes = bytesAt(place + BLOB_HEADER, view.getUint32(0));
  const kind = view.getUint32(4);
  switch (kind & 0xff) {
    case TEXT:
      return readText(unitsIn(bytes));
    case JSON_TEXT:
      return JSON.parse(readText(unitsIn(bytes)));
    case VIEW:
      return viewOfBytes(bytes.slice(), kind >> 8);
    default:
      return new Parcel(bytes.slice(), kind === MARKED).open()[0];
  }
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
