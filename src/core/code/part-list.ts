/**
 * The texts of the library's parts on the shared heap, for threads that have no other way to them; runs on every thread.
 *
 * A list that only grows. A thread writes a block, then puts it at the head by one compare-and-swap of the root word; what is
 * published never changes and is never freed. Two threads may publish one part each: the later one is found, and the texts are
 * equal.
 *
 * ```
 * root word -> block: | next | bytes of name | of path | of text | the three, UTF-8 |
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
}

const FIELDS = 3;
const HEADER_BYTES = (1 + FIELDS) * 4;

/** Makes a part known to all threads of the process. */
export function publishPart(name: string, { path, text }: PartText): void {
  const utf8 = new TextEncoder();
  const fields = [name, path, text].map((field) => utf8.encode(field));
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
  const wanted = new TextEncoder().encode(name);
  for (let offset = load(heapWords(), ROOT_PARTS) >>> 0; offset !== 0; ) {
    const head = bytesAt(offset, HEADER_BYTES);
    const header = new Int32Array(head.buffer, head.byteOffset, 1 + FIELDS); // plain, as all of it: immutable
    const bytesOf = (field: number): Uint8Array => {
      const start = header.subarray(1, 1 + field).reduce((sum, size) => sum + size, offset + HEADER_BYTES);
      return bytesAt(start, header[1 + field] as number);
    };
    const found = bytesOf(0);
    if (found.length === wanted.length && wanted.every((byte, i) => byte === found[i])) {
      const utf8 = new TextDecoder();
      const textOf = (field: number): string => utf8.decode(bytesOf(field).slice()); // it refuses shared bytes
      return { path: textOf(1), text: textOf(2) };
    }
    offset = (header[0] as number) >>> 0;
  }
  return undefined;
}
