import { expect, test } from 'vitest';
import { restoreClassNames } from '../../../scripts/parts.js';

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
