import { describe, expect, test } from 'vitest';
import {
  bytesOfType,
  constructorOfType,
  isBigIntType,
  NO_TYPE,
  nameOfType,
  TYPE_COUNT,
  typeOfConstructor,
  typeOfView,
} from '../../../../src/core/memory/element-types.js';

const here = Array.from({ length: TYPE_COUNT }, (_, type) => type).filter((type) => constructorOfType(type));

describe('element types', () => {
  test('are all eleven, and Float16 where the host has it', () => {
    expect(here.length).toBe('Float16Array' in globalThis ? 12 : 11);
  });

  test.each(here.map((type) => [nameOfType(type), type] as const))('%s agrees with its constructor', (name, type) => {
    const Ctor = constructorOfType(type);
    expect(Ctor?.name).toBe(name);
    expect(typeOfConstructor(Ctor)).toBe(type);
    expect(bytesOfType(type)).toBe(Ctor?.BYTES_PER_ELEMENT);
    const view = new (Ctor as unknown as new (n: number) => Uint8Array)(1);
    expect(typeOfView(view)).toBe(type);
    expect(typeof view[0] === 'bigint').toBe(isBigIntType(type));
  });

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
