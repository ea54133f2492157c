/**
 * Types that refuse a promise where nobody would await it; nothing of this file runs.
 *
 * TypeScript lets a function that returns a promise pass for one that returns nothing, so `void` does not refuse it.
 */

/** The text in the compiler's error for a function that returns a promise. */
type PromiseRefusal = 'furcate: this runs synchronously, so nothing would await the promise that it returns';

/**
 * The result of a function that must be synchronous: R itself, and for a promise a type that no value has, whose name says
 * what is wrong. A wrapper that passes on functions of any result R can ask for `(i: number) => Synchronous<R>` too.
 */
export type Synchronous<R> = R extends PromiseLike<unknown> ? PromiseRefusal : R;

/** Any value but a promise. */
export type NotAPromise =
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a result is what this is for
  | void
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | symbol
  | (object & { readonly then?: PromiseRefusal | undefined });

/**
 * Any function that returns no promise. Two function types with different parameters accept the same functions as one. But TypeScript takes
 * the types of parameters from one only, so here a parameter without a type has the type of its default value.
 */
export type SynchronousFunction = ((...args: never) => NotAPromise) | ((first: never, ...rest: never[]) => NotAPromise);
