/**
 * The WebAssembly kernels of this realm, on the shared heap's memory; runs on every thread that computes.
 *
 * The binaries (AssemblyScript in wasm/, compiled by scripts/kernels.ts) are parts of the library of their own. They are hexadecimal
 * because that compresses as well as the bytes do (17 KB all together; base64 takes 26). Each binary is loaded and compiled at the
 * first use of one of its kernels, never at start. Threads of one process share the machine code, since V8 knows modules by their
 * bytes. A module imports its memory and owns nothing: no data, no stack, no state. So any number of threads can run it on the
 * same bytes. Where kernels cannot be made (the heap is a plain `SharedArrayBuffer`, there is no SIMD, or a content security policy
 * forbids it), the scalar versions in TypeScript are used. They give the same bits. Views that are not on the heap use them too.
 */
import { environmentVariable, isHeap, kernelMemory, part } from '../../core/engine.js';
import { type TypedArray, typeOfView } from '../../core/memory/element-types.js';
import { type KernelGroup, partOfGroup } from './wasm-groups.js';

/**
 * A function of a module. Addresses are byte offsets in the shared heap, as `pointerOf` gives them; lengths are elements. Kernels of
 * 64-bit integers take and return bigints, which their callers cast.
 */
export type Kernel = (...args: (number | bigint)[]) => number;
export type KernelExports = Readonly<Record<string, Kernel>>;

/** Tests of the sources define the binaries, by group; builds have them as parts. */
declare const __FURCATE_KERNELS__: Readonly<Record<KernelGroup, string>> | undefined;

/** Not in the heap. */
export const NOT_IN_HEAP = -1;

/** Least size of a view that makes the kernels be compiled (bytes). Decoding and compiling them takes 2 to 6 ms, once a process. */
const WORTH_MAKING_BYTES = 65_536;

/** `FURCATE_KERNELS=typescript` disables WebAssembly, for comparisons and as a workaround for bugs of an engine. */
const VARIABLE = 'FURCATE_KERNELS';

/** True if kernels can be used; undefined until somebody wants one. */
let usable: boolean | undefined;

/** Checks whether this realm can use WebAssembly on the shared heap. */
export function kernelsUsable(): boolean {
  usable ??= isUsable();
  return usable;
}

/** For tests: forgets the kernels, so that the next use makes them anew, or refuses them now. */
export function resetKernels({ refuse = false } = {}): void {
  usable = refuse ? false : undefined;
  for (const module of Object.values(modules)) module.reset();
}

/**
 * The byte offset of a view in the heap, or `NOT_IN_HEAP` where the scalar version has to be used. Kernels take addresses as 32-bit
 * integers: those above 2 GiB are passed as they are, and wrap on the way. A short view alone does not make the kernels be compiled.
 */
export function pointerOf(view: ArrayBufferView): number {
  if (usable === undefined && view.byteLength < WORTH_MAKING_BYTES) return NOT_IN_HEAP;
  return isHeap(view) && kernelsUsable() ? view.byteOffset : NOT_IN_HEAP;
}

/** Endings of the names of kernels, by the number of the element type. Kernels do not clamp what they store. */
const SUFFIXES = ['I8', 'U8', 'U8', 'I16', 'U16', 'I32', 'U32', 'F32', 'F64', 'I64', 'U64'];

/** The kernels for one kind of work: a WebAssembly module, which is compiled when one of them is first wanted. */
export class KernelModule {
  readonly #group: KernelGroup;
  #exports: KernelExports | undefined;
  /** By name, then by the number of the element type: putting the two together takes longer than a short call. */
  readonly #found = new Map<string, (Kernel | undefined)[]>();

  constructor(group: KernelGroup) {
    this.#group = group;
  }

  /** Its functions, by name. Only where `kernelsUsable`. */
  exports(): KernelExports {
    if (this.#exports === undefined) {
      const module = new WebAssembly.Module(kernelsBinary(this.#group));
      const { exports } = new WebAssembly.Instance(module, { env: { memory: kernelMemory() as WebAssembly.Memory } });
      this.#exports = { ...(exports as KernelExports) };
    }
    return this.#exports;
  }

  /** The kernel for elements of an array: 'sum' and an Int8Array give `sumI8`. Undefined if there is none, or the array is not on the heap. */
  for(name: string, xs: TypedArray): Kernel | undefined {
    if (pointerOf(xs) === NOT_IN_HEAP) return undefined;
    let ofName = this.#found.get(name);
    if (ofName === undefined) {
      ofName = [];
      this.#found.set(name, ofName);
    }
    const type = typeOfView(xs);
    if (!(type in ofName))
      ofName[type] = SUFFIXES[type] === undefined ? undefined : this.exports()[name + SUFFIXES[type]];
    return ofName[type];
  }

  reset(): void {
    this.#exports = undefined;
    this.#found.clear();
  }
}

// The build reads the names in imports of these: a family ships the modules that its files import.
export const reduceKernels = new KernelModule('reduce');
export const scanKernels = new KernelModule('scan');
export const filterKernels = new KernelModule('filter');
export const histogramKernels = new KernelModule('histogram');
export const sortKernels = new KernelModule('sort');

const modules = { reduceKernels, scanKernels, filterKernels, histogramKernels, sortKernels };

/** The address of an element of an array that is on the heap. */
export const addressOf = (xs: TypedArray, i: number): number => xs.byteOffset + i * xs.BYTES_PER_ELEMENT;

/** The binary of a group. */
export function kernelsBinary(group: KernelGroup): Uint8Array<ArrayBuffer> {
  const hex =
    typeof __FURCATE_KERNELS__ === 'object'
      ? __FURCATE_KERNELS__[group]
      : (part(partOfGroup(group)) as { readonly binary: string }).binary;
  // Buffer is faster, in each thread's first call; browsers have none.
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(hex, 'hex');
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** A function of two vector instructions: an engine and a policy that let it be compiled let the kernels be compiled too. */
// biome-ignore format: bytes of a module, section by section
const PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

function isUsable(): boolean {
  if (environmentVariable(VARIABLE) === 'typescript' || kernelMemory() === undefined) return false;
  try {
    new WebAssembly.Module(new Uint8Array(PROBE));
    return true;
  } catch {
    return false; // no SIMD, or no permission to compile
  }
}
