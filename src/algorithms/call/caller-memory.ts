/**
 * Scratch memory for calls that their caller does itself; each thread has its own.
 *
 * A new typed array of more than 64 bytes takes V8 0.2 to 0.5 us and a share of a collection, and a smaller one as much once its
 * buffer is asked for. A view of memory that exists takes 0.02 us. The memory is a stack: a call within another call is made by
 * a function of the outer call, so it ends first.
 */
import type { TypedArray } from '../../core/memory/element-types.js';
import { CALLER_MEMORY_BYTES } from '../tuning.js';

/** Arrays of every element type may begin at multiples of it (bytes). */
const ALIGNMENT = 8;

let memory: ArrayBuffer | undefined;
let usedBytes = 0;

/** How much is in use now (bytes), for `endCallerMemory`. */
export const beginCallerMemory = (): number => usedBytes;

/** An array with any values, which may be used until `endCallerMemory`; undefined where no memory is left for it. */
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

/** Gives back all that was taken since `beginCallerMemory` returned `bytes`. */
export function endCallerMemory(bytes: number): void {
  usedBytes = bytes;
}
