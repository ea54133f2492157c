/**
 * Marks: plain objects in a copy of data that stand for what the copy cannot hold itself; runs on every thread. Any serializer carries them, and
 * `openData` replaces them.
 */
import { constructorOfType, type TypedArray, typeOfView } from '../memory/element-types.js';
import { MARK } from './data-path.js';

/** A user's object that has the key `MARK`. */
export const VERBATIM = 'verbatim';
/** An instance of a class; the mark's value is a `ClassName`. */
export const INSTANCE = 'instance';
/** An error; the mark's value is an `ErrorDescription`. */
export const ERROR = 'error';
/** A `SharedArrayBuffer`; the mark's value is a view of all of it, which crosses as its place. Serializers carry no such buffer. */
export const BUFFER = 'buffer';
/** A function; the mark's value is its number in the code table. */
export const FUNCTION = 'function';
/** A shared array by value, for another process; the mark's value is an ordinary array. */
export const SHARED = 'shared';

/** An object of the platform; the mark's value is a `Crossing`. */
export const PLATFORM = 'platform';

export interface Mark {
  readonly [MARK]: string;
  readonly value: unknown;
  /** The properties of what the mark stands for. */
  readonly fields: object;
}

export const mark = (kind: string, value: unknown, fields: object): Mark => ({ [MARK]: kind, value, fields });

/** Stands for a function in a copy. */
export const functionMark = (code: number): object => mark(FUNCTION, code, {});

/** Stands for a shared array in a copy for another process. */
export const sharedMark = (xs: TypedArray): object => mark(SHARED, copyOfView(xs), {});

/** The view has the plain class of its type: the constructor of a subclass is the user's, and that of `Buffer` is deprecated. */
export function copyOfView(view: ArrayBufferView): ArrayBufferView {
  const Class = constructorOfType(typeOfView(view)) as (new (elements: ArrayBufferView) => ArrayBufferView) | undefined;
  const { buffer, byteOffset, byteLength } = view;
  return Class === undefined ? new DataView(buffer.slice(byteOffset, byteOffset + byteLength)) : new Class(view);
}

/** Checks whether part of a copy stands for this function. */
export const isMarkOf = (part: unknown, code: number): boolean =>
  (part as Partial<Mark> | undefined)?.[MARK] === FUNCTION && (part as Mark).value === code;
