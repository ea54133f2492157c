/**
 * Memory for what a call needs while its caller does it; each thread has its own.
 *
 * A new typed array of more than 64 bytes takes V8 0.2 to 0.5 us and a share of a collection, and a smaller one as much once
 * its buffer is asked for. A view of memory that is there takes 0.02 us. Calls on the caller end in the opposite order of
 * their beginning, since a call that runs within another is made by a function of that one: so this is a stack.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { CALLER_MEMORY_BYTES } from '../tuning.js';

/** Every element type may begin there (bytes). */
const ALIGNMENT = 8;

let memory: ArrayBuffer | undefined;
let usedBytes = 0;

/** What is in use now, for `endCallerMemory`. */
export const beginCallerMemory = (): number => usedBytes;

/** An array of any values, to be used until `endCallerMemory`; or undefined where no memory is left for it. */
export function callerMemory<T extends TypedArray>(
  type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBuffer, byteOffset: number, length: number): T },
  length: number,
): T | undefined {
  const start = usedBytes;
  const end = start + Math.ceil((length * type.BYTES_PER_ELEMENT) / ALIGNMENT) * ALIGNMENT;
  if (end > CALLER_MEMORY_BYTES) return undefined;
  memory ??= new ArrayBuffer(CALLER_MEMORY_BYTES);
  usedBytes = end;
  return new type(memory, start, length);
}

/** Gives back all that was taken since `begun` was the answer of `beginCallerMemory`. */
export function endCallerMemory(prepared: number): void {
  usedBytes = prepared;
}
