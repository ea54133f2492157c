/**
 * One report, or what an invocation carries, as a block on the shared heap; runs on the thread that reports and on the owner.
 *
 * ```
 * word 0                 1       2       3   4 ...
 *      next report / 16  form    bytes   -   the value
 * ```
 *
 * What an invocation carries has a number in the place of the next report, and of word 3.
 *
 * Most reports are numbers, short texts, or flat objects of them. These cross as JSON, in UTF-16, which takes a third of the time of the
 * runtime's serializer.
 */
import type { ControlMemory } from '../../core/memory/control.js';
import { bytesAt, isHeapFull } from '../../core/memory/heap.js';
import { Parcel, pack } from '../../core/task/parcel.js';
import { inResult } from '../../core/task/shareable.js';

const HEAD_BYTES = 16;
const HEAD_WORDS = HEAD_BYTES / 4;

/** Forms of a value: as the runtime's serializer writes it; so, with marks in it (code/data-copy.ts); as JSON. The library may report a parcel. */
const PLAIN = 0;
const MARKED = 1;
const JSON_TEXT = 2;
const PARCEL = 4;

/** Longest JSON (characters): the serializer is as fast for longer texts. */
const MAX_JSON = 1000;

/** The head of a block, and what follows it. */
const headAt = (block: number): Int32Array =>
  new Int32Array(bytesAt(block * 16, HEAD_BYTES).buffer, block * 16, HEAD_WORDS);

/** Sets the report that was made before this one. */
export function link(block: number, next: number): void {
  headAt(block)[0] = next; // plain: published by N1
}

const WORD = 2 ** 32;

/** Gives a block a number: two words of its head. */
export function setNumber(block: number, value: number): void {
  const head = headAt(block);
  head[0] = value % WORD; // plain, as all of the block: published with the root
  head[3] = Math.floor(value / WORD);
}

export function numberOf(block: number): number {
  const [low, , , high] = headAt(block) as unknown as [number, number, number, number]; // plain: see `setNumber`
  return high * WORD + (low >>> 0);
}

export const nextOf = (block: number): number => headAt(block)[0] as number; // plain: published by N1

/** The names, for errors, of what a value is given to. */
export interface Giver {
  readonly value: string;
  /** Text for a report for which the heap has no room. */
  readonly noRoom: string;
}

const REPORT: Giver = {
  value: 'the value of report()',
  noRoom:
    'report(): the shared heap has no room for it. Report less often, or do less in onReport: ' +
    'what was reported stays in the heap until onReport has been called with it.',
};

const NO_CODES: ReadonlySet<number> = new Set();

/**
 * Makes the block of a value.
 *
 * @returns its place on the heap / 16; the classes in it
 * @throws NotShareableError; RangeError when the heap has no room
 */
export function newBlockOf(
  memory: ControlMemory,
  value: unknown,
  giver = REPORT,
): { readonly block: number; readonly codes: ReadonlySet<number> } {
  try {
    const json = jsonOf(value);
    if (json !== undefined && json.length <= MAX_JSON) return { block: newJson(memory, json), codes: NO_CODES };
    const { isMarked, bytes, codes } = packed(value, giver);
    const block = newBlock(memory, (isMarked ? MARKED : PLAIN) | (value instanceof Parcel ? PARCEL : 0), bytes.length);
    bytesAt(block * 16 + HEAD_BYTES, bytes.length).set(bytes);
    return { block, codes };
  } catch (cause) {
    throw isHeapFull(cause) ? new RangeError(`furcate: ${giver.noRoom}`, { cause }) : cause;
  }
}

/** @throws NotShareableError */
export const packed = (value: unknown, giver = REPORT): Parcel =>
  value instanceof Parcel ? value : pack([value], () => giver.value, inResult);

/** A block without its value. */
function newBlock(memory: ControlMemory, form: number, bytes: number): number {
  const block = memory.allocate(HEAD_BYTES + bytes) / 16;
  const head = headAt(block);
  head[1] = form;
  head[2] = bytes;
  return block;
}

/** Checks whether JSON gives this value back as it is. */
const isExact = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0));

/** The JSON of a value, or of an object or array of such values; undefined where JSON would not give it back as it is. */
function jsonOf(value: unknown): string | undefined {
  if (isExact(value)) return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A copy, so that getters are read once.
  let copy: object;
  if (prototype === Object.prototype) copy = { ...value };
  else if (prototype !== Array.prototype || Object.keys(value).length !== (value as unknown[]).length) return undefined;
  else copy = [...(value as unknown[])];
  return Object.values(copy).every(isExact) ? JSON.stringify(copy) : undefined;
}

const textOf = (units: ArrayLike<number>): string => Reflect.apply(String.fromCharCode, null, units);

const unitsAt = (block: number, count: number): Uint16Array => {
  const at = block * 16 + HEAD_BYTES;
  return new Uint16Array(bytesAt(at, 2 * count).buffer, at, count);
};

function newJson(memory: ControlMemory, json: string): number {
  const block = newBlock(memory, JSON_TEXT, 2 * json.length);
  const units = unitsAt(block, json.length);
  for (let k = 0; k < json.length; k++) units[k] = json.charCodeAt(k);
  return block;
}

/** The value of a block. @throws TaskRegistrationError where the class of an instance in it is not loaded */
export function openBlock(block: number): unknown {
  const [, form, bytes] = headAt(block) as unknown as [number, number, number];
  if (form === JSON_TEXT) return JSON.parse(textOf(unitsAt(block, bytes / 2)));
  const copy = bytesAt(block * 16 + HEAD_BYTES, bytes).slice(); // because decoders refuse shared bytes
  const parcel = new Parcel(copy, (form & MARKED) !== 0);
  return (form & PARCEL) !== 0 ? parcel : parcel.open()[0];
}
