import { expect, test } from 'vitest';
import { kernelPartsIn, restoreClassNames } from '../../../scripts/parts.js';

test('a class that the bundler renamed gets its name back, and nothing else changes', () => {
  const bundled = [
    'var Pool = class _Pool extends Base {',
    '  static { _Pool.count = this._Pool + other_Pool + _Pools; }',
    '  make() { return new _Pool(); }',
    '};',
    'var Other = class {};',
    'var Twin2 = class _Twin { make() { return new _Twin(); } };',
  ].join('\n');
  const restored = [
    'var Pool = class Pool extends Base {',
    '  static { Pool.count = this._Pool + other_Pool + _Pools; }',
    '  make() { return new Pool(); }',
    '};',
    'var Other = class {};',
    'var Twin2 = class _Twin { make() { return new _Twin(); } };',
  ].join('\n');
  expect(restoreClassNames(bundled)).toBe(restored);
  expect(restoreClassNames('var Pool=class _Pool{make(){return new _Pool}};')).toBe(
    'var Pool=class Pool{make(){return new Pool}};',
  );
});

test('the parts that hold the kernels of a source file are read from its imports', () => {
  expect(kernelPartsIn("import { pointerOf, scanKernels, sortKernels } from '../kernels/wasm-kernels.js';")).toEqual([
    'kernelsScan',
    'kernelsSort',
  ]);
  expect(kernelPartsIn("import { pointerOf } from '../kernels/wasm-kernels.js';\nconst sortKernels = 1;")).toEqual([]);
});
