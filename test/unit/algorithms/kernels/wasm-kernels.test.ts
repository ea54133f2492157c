import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { namedReduction } from '../../../../src/algorithms/kernels/named-reductions.js';
import { KERNEL_GROUPS } from '../../../../src/algorithms/kernels/wasm-groups.js';
import {
  kernelsBinary,
  kernelsUsable,
  NOT_IN_HEAP,
  pointerOf,
  reduceKernels,
  resetKernels,
  scanKernels,
} from '../../../../src/algorithms/kernels/wasm-kernels.js';
import { fillElements } from '../../../../src/algorithms/loops/fill-elements.js';
import { namedOperation, ScanKernel } from '../../../../src/algorithms/scan/scan-kernel.js';
import { mergeNumbers } from '../../../../src/algorithms/sort/kernels/wasm-sort.js';
import { free, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { difference } from '../../../helpers/array-values.js';
import { sortInPlace } from '../../../helpers/range-sort.js';
import { sectionsOf } from '../../../helpers/wasm-sections.js';

registerHost(detectNode);
beforeEach(() => resetKernels());
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  resetKernels();
});

const [DATA, GLOBAL, START, TABLE, CUSTOM] = [11, 6, 8, 4, 0];

describe.each(KERNEL_GROUPS)('the module of the kernels for %s', (group) => {
  test('owns nothing: no data, no globals, no start function; so threads share one memory safely', () => {
    const sections = sectionsOf(kernelsBinary(group));
    expect(sections).not.toHaveLength(0);
    for (const owned of [DATA, GLOBAL, START, TABLE, CUSTOM]) expect(sections).not.toContain(owned);
  });

  test('imports nothing but its memory, and exports functions only', () => {
    const module = new WebAssembly.Module(kernelsBinary(group));
    expect(WebAssembly.Module.imports(module)).toEqual([{ module: 'env', name: 'memory', kind: 'memory' }]);
    const exported = WebAssembly.Module.exports(module);
    expect(new Set(exported.map(({ kind }) => kind))).toEqual(new Set(['function']));
  });

  test('is the same where the host has no Buffer, as browsers have none', () => {
    const binary = kernelsBinary(group);
    expect(binary.length).toBeGreaterThan(100);
    vi.stubGlobal('Buffer', undefined);
    const decoded = kernelsBinary(group);
    vi.unstubAllGlobals();
    expect(difference(decoded, binary)).toBeUndefined();
  });

  test('runs on a heap of any maximum', () => {
    for (const maximum of [65_536, 16_384, 4_096]) {
      const memory = new WebAssembly.Memory({ initial: 1, maximum, shared: true });
      expect(
        () => new WebAssembly.Instance(new WebAssembly.Module(kernelsBinary(group)), { env: { memory } }),
      ).not.toThrow();
    }
  });
});

describe('kernels', () => {
  test('are made once, and made anew after a reset', () => {
    expect(kernelsUsable()).toBe(true);
    const made = reduceKernels.exports();
    expect(made.sumF64).toBeTypeOf('function');
    expect(made.fillF64).toBeUndefined(); // another module
    expect(reduceKernels.exports()).toBe(made);
    resetKernels();
    expect(reduceKernels.exports()).not.toBe(made);
  });

  test('are not made for a short array alone', () => {
    const [short, long] = [sharedArray(Int16Array, 10), sharedArray(Int16Array, 100_000)];
    expect(pointerOf(short)).toBe(NOT_IN_HEAP);
    expect(pointerOf(long)).toBe(long.byteOffset);
    expect(pointerOf(short)).toBe(short.byteOffset);
  });

  test('take arrays on the shared heap only', () => {
    expect(kernelsUsable()).toBe(true);
    const xs = sharedArray(Int16Array, 10);
    expect(pointerOf(xs)).toBe(xs.byteOffset);
    expect(pointerOf(xs.subarray(3))).toBe(xs.byteOffset + 6);
    expect(pointerOf(new Int16Array(10))).toBe(NOT_IN_HEAP);
    expect(pointerOf(new Int16Array(new SharedArrayBuffer(20)))).toBe(NOT_IN_HEAP);
  });

  test('do not read beyond the end of the memory', () => {
    const xs = sharedArray(Float64Array, 3);
    expect(() => reduceKernels.exports().sumF64(2 ** 32 - 8, 3)).toThrow(WebAssembly.RuntimeError);
    expect(reduceKernels.exports().sumF64(xs.byteOffset, 3)).toBe(0);
  });
});

describe('above 2 GiB, where addresses are negative as 32-bit integers', () => {
  const below = sharedArray(Uint8Array, 2 ** 31); // fresh memory, which nobody touches
  const xs = sharedArray(Float64Array, 20_000);
  const out = sharedArray(Float64Array, 20_000);
  afterAll(() => [below, xs, out].forEach(free));

  test('kernels read and write what they should', () => {
    expect(xs.byteOffset).toBeGreaterThan(2 ** 31);
    for (let i = 0; i < xs.length; i++) xs[i] = (i * 7919) % 20_011;
    const expected = xs.slice().sort();
    const { owner, fold } = namedReduction('max', xs);
    expect(owner).toBe(reduceKernels.for('max', xs));
    expect(fold(0, xs.length)).toBe(expected[19_999]);
    expect(scanKernels.for('max', xs)).toBeDefined();
    const arrays = { xs, out, carries: new Float64Array(1), block: xs.length, exclusive: false };
    expect(new ScanKernel(arrays, namedOperation('max', xs, out, 0), undefined).scan(0, 1)).toBe(expected[19_999]);
    expect(out[0]).toBe(xs[0]);
    expect(out[19_999]).toBe(expected[19_999]);
    expect(difference(sortInPlace(xs, undefined).keys, expected)).toBeUndefined();
    mergeNumbers(xs, 0, 12_345, xs, 12_345, 20_000, out, 0);
    expect(difference(out, expected)).toBeUndefined();
    fillElements(xs, 3, 1, 19_999);
    expect([xs[0], xs[1], xs[19_998], xs[19_999]]).toEqual([expected[0], 3, 3, expected[19_999]]);
  });
});

describe('the scalar versions are used', () => {
  const xs = sharedArray(Float64Array, 10_000);
  xs.set([1, 2, 3]);
  const sum = () => {
    const { owner, fold } = namedReduction('sum', xs);
    return { scalar: owner !== reduceKernels.for('sum', xs), value: fold(0, 3) };
  };

  test('where the engine refuses to compile', () => {
    expect(sum()).toEqual({ scalar: false, value: 6 });
    resetKernels();
    vi.spyOn(WebAssembly, 'Module').mockImplementation(function refuse() {
      throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder');
    });
    expect(sum()).toEqual({ scalar: true, value: 6 });
  });

  test('where FURCATE_KERNELS asks for TypeScript', () => {
    vi.stubEnv('FURCATE_KERNELS', 'typescript');
    expect(sum()).toEqual({ scalar: true, value: 6 });
  });

  test('where a test refuses kernels', () => {
    resetKernels({ refuse: true });
    expect(sum()).toEqual({ scalar: true, value: 6 });
  });
});
