/**
 * The WebAssembly kernels of this realm, on the shared heap's memory; runs on every thread that computes.
 *
 * The binaries (AssemblyScript in wasm/, compiled by scripts/kernels.ts) are parts of the library of their own, hexadecimal: so
 * they compress as bytes do (17 KB all together; base64 26). Each is loaded and compiled at the first use of one of its kernels,
 * never at start; threads of one process share the machine code, since V8 knows modules by their bytes. A module imports its
 * memory and owns nothing: no data, no stack, no state; so any number of threads run it on the same bytes. Where they cannot be
 * (a heap that is a plain `SharedArrayBuffer`, no SIMD, a content security policy), the TypeScript twins serve: they give the
 * same bits. So they do for views that are not on the heap.
 */
import { part } from '../../core/code/parts.js';
import { isHeap } from '../../core/memory/array-views.js';
import { heapAvailable, heapMemory } from '../../core/memory/heap.js';
import { environmentVariable } from '../../core/platform/host.js';
import type { KernelExports } from './kernel-exports.js';
import { groupOf, type KernelGroup, partOfGroup } from './wasm-groups.js';

/** Tests of the sources define the binaries, by group; builds have them as parts. */
declare const __FURCATE_KERNELS__: Readonly<Record<KernelGroup, string>> | undefined;

/** Not in the heap. */
export const NOT_IN_HEAP = -1;

/** Kernels are made for views of at least this size (bytes): decoding and compiling them takes 2 to 6 ms, once a process. */
const WORTH_MAKING_BYTES = 65_536;

/** `FURCATE_KERNELS=typescript` makes the twins serve: to compare, and to be safe from an engine's faults. */
const VARIABLE = 'FURCATE_KERNELS';

let exports: KernelExports | undefined;
let tried = false;

/** The kernels, each made when it is first read; `undefined` where the TypeScript twins have to serve. */
export function kernels(): KernelExports | undefined {
  if (!tried) {
    tried = true;
    exports = makeKernels();
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

/** The binary of a group. */
export function kernelsBinary(group: KernelGroup): Uint8Array<ArrayBuffer> {
  const hex =
    typeof __FURCATE_KERNELS__ === 'object'
      ? __FURCATE_KERNELS__[group]
      : (part(partOfGroup(group)) as { readonly binary: string }).binary;
  // Where there is one: it is faster, in each thread's first call.
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(hex, 'hex');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Two instructions for vectors, in a function: the engine and its policy let this be compiled, or no kernel. */
// biome-ignore format: bytes of a module, section by section
const PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

function makeKernels(): KernelExports | undefined {
  if (!heapAvailable() || environmentVariable(VARIABLE) === 'typescript') return undefined;
  const memory = heapMemory();
  if (memory === undefined) return undefined;
  try {
    new WebAssembly.Module(new Uint8Array(PROBE));
  } catch {
    return undefined; // no SIMD, or no permission to compile
  }
  const made: Record<string, unknown> = {};
  const there = new Set<KernelGroup>();
  // What is not there yet is asked of the prototype, which gets the whole group.
  const groups = new Proxy(Object.prototype, {
    get(_, kernel) {
      if (typeof kernel !== 'string') return undefined;
      const group = groupOf(kernel);
      if (there.has(group)) return undefined;
      there.add(group);
      const module = new WebAssembly.Module(kernelsBinary(group));
      Object.assign(made, new WebAssembly.Instance(module, { env: { memory } }).exports);
      return made[kernel];
    },
  });
  return Object.setPrototypeOf(made, groups) as KernelExports;
}
