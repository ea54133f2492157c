/**
 * The texts of the library's parts on the shared heap, for threads that have no other way to them; runs on every thread.
 *
 * A list that only grows. A thread writes a block, then puts it at the head by one compare-and-swap of the root word; what is
 * published never changes and is never freed. Two threads may publish one part each: the later one is found, and the texts are
 * equal.
 *
 * ```
 * root word -> block: | next | bytes of name | of path | of text | of compiled form | the four, UTF-8 but for the last |
 * ```
 */
import { compareExchange, load } from '../memory/atomics.js';
import { allocBytes, bytesAt, hasHeap, heapWords, ROOT_PARTS } from '../memory/heap.js';
import { CODE_TAG } from '../memory/heap-layout.js';

/** A part as text. */
export interface PartText {
  /** Where stack traces say that it is. */
  readonly path: string;
  /** An expression whose value is a function. */
  readonly text: string;
  /** The runtime's compiled form of the text; empty where it has none. */
  readonly compiled: Uint8Array;
}

const FIELDS = 4;
const HEADER_BYTES = (1 + FIELDS) * 4;

/** Makes a part known to all threads of the process. */
export function publishPart(name: string, { path, text, compiled }: PartText): void {
  const utf8 = new TextEncoder();
  const fields = [utf8.encode(name), utf8.encode(path), utf8.encode(text), compiled];
  const bytes = fields.reduce((sum, field) => sum + field.length, HEADER_BYTES);
  const offset = allocBytes(bytes, CODE_TAG);
  const block = bytesAt(offset, bytes);
  const header = new Int32Array(block.buffer, block.byteOffset, 1 + FIELDS);
  let at = HEADER_BYTES;
  for (const [i, field] of fields.entries()) {
    header[1 + i] = field.length; // plain, as all of the block: not public yet
    block.set(field, at);
    at += field.length;
  }
  for (;;) {
    const next = load(heapWords(), ROOT_PARTS);
    header[0] = next;
    if (compareExchange(heapWords(), ROOT_PARTS, next, offset | 0) === next) return; // publishes the block
  }
}

/** A part that some thread has published. */
export function publishedPart(name: string): PartText | undefined {
  if (!hasHeap()) return undefined;
  for (let offset = load(heapWords(), ROOT_PARTS) >>> 0; offset !== 0; ) {
    const head = bytesAt(offset, HEADER_BYTES);
    const header = new Int32Array(head.buffer, head.byteOffset, 1 + FIELDS); // plain, as all of it: immutable
    const fields = (from: number, to: number): Uint8Array => {
      const sizes = header.subarray(1);
      const start = sizes.subarray(0, from).reduce((sum, size) => sum + size, offset + HEADER_BYTES);
      return bytesAt(
        start,
        sizes.subarray(from, to).reduce((sum, size) => sum + size, 0),
      );
    };
    // Copied first: a decoder refuses shared bytes.
    const textOf = (field: number): string => new TextDecoder().decode(fields(field, field + 1).slice());
    if (textOf(0) === name) return { path: textOf(1), text: textOf(2), compiled: fields(3, 4) };
    offset = (header[0] as number) >>> 0;
  }
  return undefined;
}
