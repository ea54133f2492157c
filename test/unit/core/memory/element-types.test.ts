import { describe, expect, test } from 'vitest';
import {
  constructorOfType,
  isBigIntType,
  NO_TYPE,
  TYPE_COUNT,
  typeOfConstructor,
  typeOfView,
} from '../../../../src/core/memory/element-types.js';

const here = Array.from({ length: TYPE_COUNT }, (_, type) => type).filter((type) => constructorOfType(type));

describe('element types', () => {
  test('are all eleven, and Float16 where the host has it', () => {
    expect(here.length).toBe('Float16Array' in globalThis ? 12 : 11);
  });

  test.each(here.map((type) => [constructorOfType(type), type] as const))(
    '%o agrees with its constructor',
    (Ctor, type) => {
      expect(typeOfConstructor(Ctor)).toBe(type);
      const view = new (Ctor as unknown as new (n: number) => Uint8Array)(1);
      expect(typeOfView(view)).toBe(type);
      expect(typeof view[0] === 'bigint').toBe(isBigIntType(type));
    },
  );

  test('have no number for other views and constructors', () => {
    expect(typeOfView(new DataView(new ArrayBuffer(8)))).toBe(NO_TYPE);
    expect(typeOfView(Buffer.alloc(1)), 'a Buffer is a Uint8Array').toBe(typeOfConstructor(Uint8Array));
    for (const value of [Buffer, Array, DataView, Object, undefined, null, 'Int8Array', {}]) {
      expect(typeOfConstructor(value)).toBe(NO_TYPE);
    }
    expect(constructorOfType(-1)).toBeUndefined();
    expect(constructorOfType(99)).toBeUndefined();
  });
});
