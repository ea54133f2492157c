/** Atomic operations in a realm that has used none before; test/conformance has the rest. */
import { expect, test } from 'vitest';
import { atomicAdd, atomicMax, atomicMin, testAndSet } from '../../../../src/core/task/atomic-elements.js';

test.each([
  ['atomicAdd', () => atomicAdd(undefined as unknown as Int32Array, 0, 1)],
  ['atomicMin', () => atomicMin(undefined as unknown as Int32Array, 0, 1)],
  ['atomicMax', () => atomicMax(undefined as unknown as Int32Array, 0, 1)],
  ['testAndSet', () => testAndSet(undefined as unknown as Int32Array, 0)],
])('the first call of %s without an array says what it must be', (name, call) => {
  expect(call).toThrow(`furcate: ${name}: xs must be a shared array`);
});
