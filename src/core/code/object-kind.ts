/**
 * What an object is, whatever realm made it: plain data, an error, an instance of a class, a handle of the platform; runs on
 * every thread.
 */

/** Objects whose meaning is not in their properties. */
const NOT_DATA = new Set(
  (
    'Promise WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer Generator AsyncGenerator ' +
    'MessagePort MessageChannel BroadcastChannel Worker Blob File FileList URL URLSearchParams Headers Request Response ' +
    'ReadableStream WritableStream TransformStream AbortSignal AbortController CryptoKey ImageData ImageBitmap ' +
    'OffscreenCanvas EventTarget Window global WebAssembly.Memory WebAssembly.Module WebAssembly.Instance ' +
    'WebAssembly.Table WebAssembly.Global Intl.Collator Intl.NumberFormat Intl.DateTimeFormat'
  ).split(' '),
);

/** Classes of the language whose instances any copy of structured data keeps. */
const OF_LANGUAGE = new Set('Array Map Set Date RegExp Number String Boolean BigInt'.split(' '));

export const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** Is it an object of no class, in any realm? */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Is the view on memory that threads share? */
export const isOnSharedMemory = (view: ArrayBufferView): boolean => tagOf(view.buffer) === 'SharedArrayBuffer';

/** Errors of any realm, and what only inherits from one. */
export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  const tag = tagOf(value);
  return tag === 'Error' || tag === 'DOMException' || (tag === 'Object' && inheritsFromError(value));
}

function inheritsFromError(value: object): boolean {
  if (isPlain(value)) return false;
  for (
    let p: unknown = Object.getPrototypeOf(value);
    typeof p === 'object' && p !== null;
    p = Object.getPrototypeOf(p)
  ) {
    if (
      tagOf(p) === 'Error' ||
      (Object.hasOwn(p, 'constructor') && (p.constructor as { name?: unknown }).name === 'Error')
    ) {
      return true;
    }
  }
  return false;
}

/** What to call an object that is more than its properties, by its tag: 'a Promise'; undefined for any other. */
export function handleName(tag: string): string | undefined {
  if (!NOT_DATA.has(tag) && !tag.endsWith(' Iterator')) return undefined;
  return /^[AEIOU]/.test(tag) ? `an ${tag}` : `a ${tag}`;
}

/** By prototype: is it that of a class of the language? */
const known = new WeakMap<object, boolean>();

function isOfLanguage(prototype: object): boolean {
  let answer = known.get(prototype);
  if (answer === undefined) {
    const owner: unknown = Object.hasOwn(prototype, 'constructor') ? prototype.constructor : undefined;
    answer =
      typeof owner === 'function' &&
      OF_LANGUAGE.has(owner.name) &&
      /\[native code\]\s*\}$/.test(Function.prototype.toString.call(owner));
    known.set(prototype, answer);
  }
  return answer;
}

/**
 * Would a copy of its properties lose its class? So it is for instances of a user's class, one that extends `Map` or `Array`
 * too, and for an object with a prototype of its own. To be asked of what is neither a view nor an error nor a handle.
 */
export function isInstance(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return !isPlain(value) && !isOfLanguage(prototype as object);
}
