import { expect, test } from 'vitest';
import { kernelPartsIn } from '../../../scripts/parts.js';

test('the parts that hold the kernels of a source file are read from its imports', () => {
  expect(kernelPartsIn("import { pointerOf, scanKernels, sortKernels } from '../kernels/wasm-kernels.js';")).toEqual([
    'kernelsScan',
    'kernelsSort',
  ]);
  expect(kernelPartsIn("import { pointerOf } from '../kernels/wasm-kernels.js';\nconst sortKernels = 1;")).toEqual([]);
});
