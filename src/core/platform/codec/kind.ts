/**
 * Tells what structured cloning makes of an object, whichever realm made it; runs on every thread.
 *
 * Classes cannot be compared, because another realm has others, and a tag can be claimed by any object. So a tag says what to look for, and a method
 * of the language that throws for all other objects decides.
 */
import { ARRAY, BOXED, BUFFER, DATE, DOM_EXCEPTION, ERROR, MAP, OBJECT, REGEXP, SET, VIEW } from './format.js';

/** Kind of a value that cannot be cloned. */
export const HANDLE = -1;

/** Tags of the platform's objects that have no global class of that name. */
const CLASSLESS = /(Iterator|Generator)$|^(WebAssembly|Intl)\.|^(global|Window)$/;

export const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

type Getter = (this: object) => unknown;
const getter = ({ prototype }: { readonly prototype: object }, name: string): Getter =>
  Object.getOwnPropertyDescriptor(prototype, name)?.get as Getter;

/** Checks of what an object holds, by methods that throw for objects of any other kind. */
export const holds = {
  Map: getter(Map, 'size'),
  Set: getter(Set, 'size'),
  Date: Date.prototype.getTime as Getter,
  RegExp: getter(RegExp, 'source'),
  ArrayBuffer: getter(ArrayBuffer, 'byteLength'),
  Number: Number.prototype.valueOf as Getter,
  String: String.prototype.valueOf as Getter,
  Boolean: Boolean.prototype.valueOf as Getter,
  BigInt: BigInt.prototype.valueOf as Getter,
  Symbol: Symbol.prototype.valueOf as Getter,
} as const;

type Held = keyof typeof holds;

const KINDS: Readonly<Record<Held, number>> = {
  Map: MAP,
  Set: SET,
  Date: DATE,
  RegExp: REGEXP,
  ArrayBuffer: BUFFER,
  Number: BOXED,
  String: BOXED,
  Boolean: BOXED,
  BigInt: BOXED,
  Symbol: HANDLE,
};

function isHeld(value: object, name: Held): boolean {
  try {
    holds[name].call(value);
    return true;
  } catch {
    return false;
  }
}

/** The primitive of an object that wraps one. */
export function unboxed(value: object): unknown {
  for (const name of ['Number', 'String', 'Boolean', 'BigInt'] as const)
    if (isHeld(value, name)) return holds[name].call(value);
  return undefined;
}

/** The tag of the format for an object, or `HANDLE`. */
export function kindOf(value: object): number {
  if (Array.isArray(value)) return ARRAY;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return OBJECT; // most are
  if (ArrayBuffer.isView(value)) return VIEW;
  const tag = tagOf(value);
  if (tag === 'Object') return OBJECT;
  if (tag === 'Error' && !(Symbol.toStringTag in value)) return ERROR;
  if (tag === 'DOMException') return DOM_EXCEPTION;
  if (Object.hasOwn(KINDS, tag)) return isHeld(value, tag as Held) ? KINDS[tag as Held] : OBJECT;
  if (CLASSLESS.test(tag) || typeof (globalThis as Record<string, unknown>)[tag] === 'function') return HANDLE;
  const name = (Object.keys(KINDS) as Held[]).find((name) => isHeld(value, name)); // a class with a tag of its own
  return name === undefined ? OBJECT : KINDS[name];
}
