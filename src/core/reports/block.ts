/**
 * One report as a block on the shared heap; runs on the thread that reports and on the owner.
 *
 * ```
 * word 0                 1       2       3   4 ...
 *      next report / 16  form    bytes   -   the value, as the runtime's serializer writes it
 * ```
 */
import { Copier, openData } from '../code/data-copy.js';
import { NotShareableError } from '../errors.js';
import type { ControlMemory } from '../memory/control.js';
import { bytesAt, isHeapFull } from '../memory/heap.js';
import { inResult } from '../task/shareable.js';
import { fromBytes, toBytes } from '../task/values.js';

const HEAD_BYTES = 16;
const HEAD_WORDS = HEAD_BYTES / 4;

/** Forms of a value. */
const PLAIN = 0;
/** With marks in it (code/data-copy.ts). */
const MARKED = 1;

/** The head of a block, and what follows it. */
const headAt = (block: number): Int32Array =>
  new Int32Array(bytesAt(block * 16, HEAD_BYTES).buffer, block * 16, HEAD_WORDS);

/** Sets the report that was made before this one. */
export function link(block: number, next: number): void {
  headAt(block)[0] = next; // plain: published by N1
}

export const nextOf = (block: number): number => headAt(block)[0] as number; // plain: published by N1

/**
 * Makes the block of a value.
 *
 * @returns its place on the heap / 16
 * @throws NotShareableError; RangeError when the heap has no room
 */
export function newReport(memory: ControlMemory, value: unknown): number {
  const copier = new Copier();
  const copy = copier.copy(value, inResult, (path) => `the value of report()${path === '' ? '' : ` (at ${path})`}`);
  const bytes = bytesOf(copier.isMarked ? copy : value);
  const block = allocate(memory, HEAD_BYTES + bytes.length) / 16;
  const head = headAt(block);
  head[1] = copier.isMarked ? MARKED : PLAIN;
  head[2] = bytes.length;
  bytesAt(block * 16 + HEAD_BYTES, bytes.length).set(bytes);
  return block;
}

function bytesOf(value: unknown): Uint8Array {
  try {
    return toBytes(value);
  } catch (cause) {
    if (!NotShareableError.is(cause)) throw cause;
    throw new NotShareableError(`furcate: the value of report() cannot leave its thread. ${cause.message}`, { cause });
  }
}

function allocate(memory: ControlMemory, bytes: number): number {
  try {
    return memory.allocate(bytes);
  } catch (cause) {
    if (!isHeapFull(cause)) throw cause;
    throw new RangeError(
      'furcate: report(): the shared heap has no room for it. Report less often, or do less in onReport: ' +
        'what was reported stays in the heap until onReport has been called with it.',
      { cause },
    );
  }
}

/** The value of a report. @throws TaskRegistrationError where the class of an instance in it is not loaded */
export function openReport(block: number): unknown {
  const head = headAt(block);
  const value = fromBytes(bytesAt(block * 16 + HEAD_BYTES, head[2] as number).slice()); // a copy, because decoders refuse shared bytes
  return head[1] === MARKED ? openData(value) : value;
}
