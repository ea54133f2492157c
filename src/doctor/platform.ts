/**
 * Questions of the doctor to the platform. The doctor asks the platform itself, not the library's host, because it must answer where the library
 * cannot even be loaded.
 *
 * Every question may throw: a permission may be missing. Who asks reports that.
 */
import { wait, waitAsync } from '../core/memory/atomics.js';
import { UNIT_BYTES } from '../core/memory/heap-layout.js';
import { createHeapMemory } from '../core/memory/heap-memory.js';
import { coresOfMachine, cpuQuota } from '../core/platform/node-cores.js';

export interface SharedMemory {
  readonly limitBytes: number;
  /** True if it is a memory of WebAssembly. */
  readonly isForKernels: boolean;
}

/** Tests put others in its place. */
export interface Platform {
  /** The runtime's name and version. */
  runtime(): string;
  /** Returns true if the page, or the worker, is cross-origin isolated. Undefined outside of browsers. */
  isIsolated(): boolean | undefined;
  /** Returns true if the page was loaded in a secure way. Without it there is no isolation. */
  isSecure(): boolean;
  /** Reserves shared memory as the library does. */
  sharedMemory(): SharedMemory;
  /** @throws where this thread must not block */
  block(): void;
  hasWaitAsync(): boolean;
  validates(module: Uint8Array<ArrayBuffer>): boolean;
  /** @throws where a policy forbids to compile WebAssembly */
  compileWasm(module: Uint8Array<ArrayBuffer>): void;
  /** @throws where a policy forbids to compile text */
  compileText(): void;
  cores(): number | undefined;
  quota(): number;
  environment(name: string): string | undefined;
  heapLimit(): number | undefined;
  nowMs(): number;
  /** Calls back after a time; returns a cancel function. */
  timer(ms: number, callback: () => void): () => void;
}

interface Globals {
  readonly process?: NodeJS.Process;
  readonly Bun?: { readonly version: string };
  readonly Deno?: { readonly version: { readonly deno: string } };
  readonly navigator?: { readonly userAgent?: string; readonly hardwareConcurrency?: number };
  readonly performance: Performance & { readonly memory?: { readonly jsHeapSizeLimit: number } };
  readonly crossOriginIsolated?: boolean;
  readonly isSecureContext?: boolean;
}

const globals = globalThis as unknown as Globals;

/** Checks whether the runtime has the modules of Node. Bun and Deno have them, too. */
const hasNodeModules = (): boolean => typeof globals.process?.getBuiltinModule === 'function';

/** The most telling name in a browser's user agent, which also names the browsers that it resembles. */
function browserName(userAgent = ''): string {
  const found = /(Firefox|Edg|OPR)\/([\d.]+)/.exec(userAgent) ?? /(Chrome)\/([\d.]+)/.exec(userAgent);
  const safari = /Version\/([\d.]+).*Safari/.exec(userAgent);
  if (found !== null) return `${found[1]} ${found[2]}`;
  return safari === null ? userAgent || 'an unknown runtime' : `Safari ${safari[1]}`;
}

/** The setters of timers as they were at the start: fake timers of a test replace the global ones. */
const { setTimeout, clearTimeout } = globalThis;

export const thisPlatform: Platform = {
  runtime() {
    const { Bun, Deno, process, navigator } = globals;
    if (Bun !== undefined) return `Bun ${Bun.version}`;
    if (Deno !== undefined) return `Deno ${Deno.version.deno}`;
    const node = process?.versions?.node;
    return node === undefined ? browserName(navigator?.userAgent) : `Node ${node}`;
  },
  isIsolated: () => (hasNodeModules() ? undefined : (globals.crossOriginIsolated ?? undefined)),
  isSecure: () => globals.isSecureContext !== false,
  sharedMemory() {
    const { memory, limitUnits } = createHeapMemory();
    return { limitBytes: limitUnits * UNIT_BYTES, isForKernels: memory.memory !== undefined };
  },
  block() {
    wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1); // returns at once where it may wait
  },
  hasWaitAsync: () => waitAsync !== undefined,
  validates: (module) => WebAssembly.validate(module),
  compileWasm(module) {
    new WebAssembly.Module(module);
  },
  compileText() {
    new Function('');
  },
  cores: () => (hasNodeModules() ? coresOfMachine() : globals.navigator?.hardwareConcurrency),
  quota: () => (hasNodeModules() ? cpuQuota() : Number.POSITIVE_INFINITY),
  environment: (name) => globals.process?.env?.[name],
  heapLimit() {
    if (!hasNodeModules()) return globals.performance.memory?.jsHeapSizeLimit;
    return process.getBuiltinModule('node:v8').getHeapStatistics().heap_size_limit;
  },
  nowMs: () => globals.performance.now(),
  timer(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
