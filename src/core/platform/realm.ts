/**
 * Objects of the host's realm as objects of this one; runs on every thread.
 *
 * Test runners evaluate their test files, and the library, in a realm of their own (`node:vm`). What functions of the host make, such as
 * its deserializer, still has the prototypes of the host's realm, so `instanceof Error` or `toStrictEqual` fails for it. The objects stay,
 * and get the prototypes of this realm: a buffer cannot be copied without its views, and identities are kept.
 */

const CLASSES = (
  'Object Array Map Set Date RegExp Number String Boolean BigInt ArrayBuffer ' +
  'AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Error'
).split(' ');

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** Contents of an object. */
function* contentsOf(value: object, tag: string): Generator<unknown> {
  if (tag === 'Map') for (const entry of value as Map<unknown, unknown>) yield* entry;
  else if (tag === 'Set') yield* value as Set<unknown>;
  else yield* Object.values(value);
  if (tag === 'Error') yield* [(value as Error).cause, (value as AggregateError).errors]; // not enumerable
}

/**
 * Makes a value one of this realm, with all that it holds. Views, and handles such as ports, stay as they are.
 *
 * @param value what nobody else refers to, and holds only what `maker` makes
 * @param maker the function of the host that has made the value. If the function is of this realm, so is the value
 */
// biome-ignore lint/complexity/noBannedTypes: any function or class
export function adopt<T>(value: T, maker: Function): T {
  if (Object.getPrototypeOf(maker) === Function.prototype) return value; // nearly always
  const globals = globalThis as unknown as Record<string, { readonly prototype: object }>;
  const found = new Set<unknown>([value]);
  for (const one of found) {
    if (typeof one !== 'object' || one === null) continue;
    const tag = tagOf(one);
    const name = tag === 'Error' ? one.constructor?.name : tag;
    if (!CLASSES.includes(name)) continue;
    Object.setPrototypeOf(one, globals[name].prototype);
    for (const inside of contentsOf(one, tag)) found.add(inside);
  }
  return value;
}
