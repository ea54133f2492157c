/**
 * The WebAssembly kernels of this realm, on the shared heap's memory; runs on every thread that computes.
 *
 * The binary (AssemblyScript in wasm/, compiled by scripts/kernels.ts) is a part of the library of its own, hexadecimal: so it
 * compresses as the bytes do (17 KB; base64 26). It is loaded and compiled at the first use of a kernel, never at start; threads of one process share the machine code, since V8 knows modules by
 * their bytes. The module imports its memory and owns nothing: no data, no stack, no state; so any number of threads run it
 * on the same bytes. Where it cannot be (a heap that is a plain `SharedArrayBuffer`, no SIMD, a content security policy),
 * the TypeScript twins serve: they give the same bits. So they do for views that are not on the heap.
 */

import { part, willUsePart } from '../../core/code/parts.js';
import { isHeap } from '../../core/memory/array-views.js';
import { heapAvailable, heapMemory } from '../../core/memory/heap.js';
import { environmentVariable } from '../../core/platform/host.js';
import type { KernelExports } from './kernel-exports.js';

declare const __FURCATE_KERNELS__: string | undefined;

/** The part of the library that holds the binary. */
const PART = 'kernels';
willUsePart(PART);

/** Not in the heap. */
export const NOT_IN_HEAP = -1;

/** Kernels are made for views of at least this size (bytes): decoding and compiling them takes 2 to 6 ms, once a process. */
const WORTH_MAKING_BYTES = 65_536;

/** `FURCATE_KERNELS=typescript` makes the twins serve: to compare, and to be safe from an engine's faults. */
const VARIABLE = 'FURCATE_KERNELS';

let exports: KernelExports | undefined;
let tried = false;

/** The kernels, made now if need be; `undefined` where the TypeScript twins have to serve. */
export function kernels(): KernelExports | undefined {
  if (!tried) {
    tried = true;
    exports = instantiate();
  }
  return exports;
}

/** For tests: forgets the kernels, so that the next use makes them anew, or refuses them now. */
export function resetKernels({ refuse = false } = {}): void {
  exports = undefined;
  tried = refuse;
}

/**
 * The byte offset of a view in the heap, or `NOT_IN_HEAP` where its twin has to serve. Kernels take addresses as 32-bit
 * integers: above 2 GiB they are passed as they are, and wrap on the way. A short view alone does not get the kernels made.
 */
export function pointerOf(view: ArrayBufferView): number {
  if (exports === undefined && view.byteLength < WORTH_MAKING_BYTES) return NOT_IN_HEAP;
  return isHeap(view) && kernels() !== undefined ? view.byteOffset : NOT_IN_HEAP;
}

/** The binary. Tests of the sources define it, builds have it as a part. */
export function kernelsBinary(): Uint8Array<ArrayBuffer> {
  const hex = typeof __FURCATE_KERNELS__ === 'string' ? __FURCATE_KERNELS__ : (part(PART) as { binary: string }).binary;
  // Where there is one: it is faster, in each thread's first call.
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(hex, 'hex');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function instantiate(): KernelExports | undefined {
  if (!heapAvailable() || environmentVariable(VARIABLE) === 'typescript') return undefined;
  try {
    const memory = heapMemory();
    const binary = kernelsBinary();
    if (memory === undefined || binary.length === 0) return undefined;
    const instance = new WebAssembly.Instance(new WebAssembly.Module(binary), { env: { memory } });
    return instance.exports as unknown as KernelExports;
  } catch {
    return undefined; // no SIMD, or no permission to compile
  }
}
