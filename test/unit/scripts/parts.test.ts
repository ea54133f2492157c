import { describe, expect, test } from 'vitest';
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

describe('the parts that hold the kernels of a source file', () => {
  const seen = (body: string): string[] =>
    kernelPartsIn(`import { kernels, pointerOf } from '../kernels/wasm-kernels.js';\n${body}`, 'x.ts');

  test('are read from the names of the kernels, or from how the names begin', () => {
    expect(seen('(kernels() as KernelExports).copy(0, 0, 1);')).toEqual(['kernelsFilter']);
    expect(seen(`const all = kernels();\nall.sumF64(0, 1);\nall[\`scanSum\${suffix}\`];`)).toEqual([
      'kernelsReduce',
      'kernelsScan',
    ]);
    expect(seen('const find = kernels()?.unordered64;')).toEqual(['kernelsSort']);
  });

  test('are none where a file reads no kernel', () => {
    expect(kernelPartsIn("import { pointerOf } from '../kernels/wasm-kernels.js';", 'x.ts')).toEqual([]);
    expect(seen('if (kernels() !== undefined) return;')).toEqual([]);
  });

  test('are an error where the build cannot read them, so that none is missing in a fresh process', () => {
    expect(() => seen('const { sumF64 } = kernels();')).toThrow(
      'x.ts reads kernels in a way that the build does not see',
    );
  });
});
