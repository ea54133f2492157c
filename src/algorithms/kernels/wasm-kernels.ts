/**
 * The WebAssembly kernels of this realm, on the shared heap's memory; runs on every thread that computes.
 *
 * The binary (AssemblyScript in wasm/, compiled by scripts/kernels.ts) is a string in the bundle. It is decoded and compiled
 * at the first use of a kernel, never at start; threads of one process share the machine code, since V8 knows modules by
 * their bytes. The module imports its memory and owns nothing: no data, no stack, no state; so any number of threads run it
 * on the same bytes. Where it cannot be (a heap that is a plain `SharedArrayBuffer`, no SIMD, a content security policy),
 * the TypeScript twins serve: they give the same bits. So they do for views that are not on the heap.
 */
import { isHeap } from '../../core/memory/array-views.js';
import { heapAvailable, heapMemory } from '../../core/memory/heap.js';
import { environmentVariable } from '../../core/platform/host.js';
import type { KernelExports } from './kernel-exports.js';

declare const __FURCATE_KERNELS__: string | undefined;

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

/** The binary, empty where the source runs without a build. */
export function kernelsBinary(): Uint8Array<ArrayBuffer> {
  const base64 = typeof __FURCATE_KERNELS__ === 'string' ? __FURCATE_KERNELS__ : '';
  // Where there is one: 0.3 ms instead of 2.6, in each thread's first call.
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(base64, 'base64');
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
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
