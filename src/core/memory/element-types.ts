/**
 * The element types of typed arrays as small integers, the form in which a shared array crosses to another thread;
 * runs on every thread. Everything goes by name, not by `instanceof`: a view may come from another realm.
 */

/** The platform's `Float16Array`, where the program's types have one. */
type HalfArray = typeof globalThis extends { Float16Array: { prototype: infer Half } } ? Half : never;

/** Any typed array that the library takes; `Float16Array`, where the host and the program's types have it. */
export type TypedArray =
  | HalfArray
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** Arrays of bigints. */
export type BigIntArray = BigInt64Array | BigUint64Array;

/** Arrays of numbers. */
export type NumberArray = Exclude<TypedArray, BigIntArray>;

/** The elements of an array type. */
export type ElementOf<T extends TypedArray> = T[number];

/** A constructor of typed arrays, such as `Float64Array`. */
export interface TypedArrayConstructor<T extends TypedArray = TypedArray> {
  readonly BYTES_PER_ELEMENT: number;
  readonly name: string;
  readonly prototype: T;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): T;
}

/** The position in this list is the type's number: append only, records of two threads must agree. */
const NAMES = (
  'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array ' +
  'BigInt64Array BigUint64Array Float16Array'
).split(' ');

const BYTES = [1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 2];

const TYPE_BY_NAME = new Map<string, number>(NAMES.map((name, type) => [name, type]));

const CONSTRUCTORS = NAMES.map((name) => (globalThis as Record<string, unknown>)[name]) as TypedArrayConstructor[];

/** Not the number of any type. */
export const NO_TYPE = -1;

/** Count of type numbers. */
export const TYPE_COUNT = NAMES.length;

/** The number of a view's element type, or `NO_TYPE` for what is no typed array (a `DataView` included). */
export function typeOfView(view: ArrayBufferView): number {
  return TYPE_BY_NAME.get((view as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag]) ?? NO_TYPE;
}

/** Checks whether a value is a typed array of a type that this realm has, on whatever memory. */
export const isTypedArray = (value: unknown): value is TypedArray =>
  ArrayBuffer.isView(value) && CONSTRUCTORS[typeOfView(value)] !== undefined;

/** The number of the type that a constructor makes, or `NO_TYPE`: subclasses and Node's `Buffer` have none. */
export function typeOfConstructor(value: unknown): number {
  const { name, BYTES_PER_ELEMENT: bytes } = Object(value) as Partial<TypedArrayConstructor>;
  const type = typeof value === 'function' ? TYPE_BY_NAME.get(name as string) : undefined;
  return type !== undefined && bytes === BYTES[type] ? type : NO_TYPE;
}

/** This realm's constructor of a type; `undefined` for a number that is no type, or one that the host lacks. */
export function constructorOfType(type: number): TypedArrayConstructor | undefined {
  return CONSTRUCTORS[type];
}

/** The ordinary buffers that stand for shared ones. Undefined where memory can be shared. */
let standIns: WeakSet<object> | undefined;

/** An ordinary buffer that counts as shared: where memory cannot be shared, and one thread does everything. */
export function standInBuffer(bytes: number): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  standIns ??= new WeakSet();
  standIns.add(buffer);
  return buffer;
}

export const isStandIn = (buffer: object): boolean => standIns?.has(buffer) === true;

/** By brand, because the buffer may come from another realm. An ordinary buffer of this realm is told first, which is faster. */
export const isSharedBuffer = (buffer: ArrayBufferLike): buffer is SharedArrayBuffer =>
  buffer instanceof ArrayBuffer
    ? isStandIn(buffer)
    : Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]';

/** Checks whether a view is on memory that threads share. */
export const isOnSharedMemory = (view: ArrayBufferView): boolean => isSharedBuffer(view.buffer);

/** Checks whether a value is a view on a buffer of this realm that no other thread has. One whose buffer was transferred is not: it has no bytes. */
export const isOnOwnMemory = (value: unknown): value is ArrayBufferView =>
  ArrayBuffer.isView(value) && value.byteLength > 0 && value.buffer instanceof ArrayBuffer && !isStandIn(value.buffer);

/** Returns true if the elements are bigints. */
export function isBigIntType(type: number): boolean {
  return type === 9 || type === 10;
}
