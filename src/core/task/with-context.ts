/** `forkable(...).with(context)`: function tasks that share a context; runs on every thread. What contexts are, task-contexts.ts says. */
import { Copier } from '../code/data-copy.js';
import { isPlain } from '../code/object-kind.js';
import { asyncForkableOf, forkableOf, WITH_CONTEXT } from '../code/registry.js';
import { addContext } from '../code/task-contexts.js';
import { refuseRevoked, show } from '../errors.js';
import { inTask } from './shareable.js';
import { placeIn } from './uncloneable.js';

type AnyCallable = (...args: unknown[]) => unknown;

/** Parts of a function with contexts, which stands for a call of `fn` with further arguments. */
interface WithContext {
  readonly fn: AnyCallable;
  /** The one that was given last comes first. */
  readonly contexts: readonly object[];
}

/** Parts of a function that `with` has made; undefined for any other value. */
const partsOf = (fn: unknown): WithContext | undefined =>
  typeof fn === 'function' ? (fn as { readonly [WITH_CONTEXT]?: WithContext })[WITH_CONTEXT] : undefined;

/** The forkable function behind `fn`, and all arguments of a call of it. */
export function callOf(fn: unknown, args: unknown[]): readonly [fn: unknown, args: unknown[]] {
  const parts = partsOf(fn);
  return parts === undefined ? [fn, args] : [parts.fn, [...args, ...parts.contexts]];
}

/** The method `with` of forkable functions. */
function withContext(this: unknown, context: unknown): AnyCallable {
  const { fn, contexts } = partsOf(this) ?? { fn: this as AnyCallable, contexts: [] };
  const entry = forkableOf(fn) ?? asyncForkableOf(fn);
  if (entry === undefined)
    throw new TypeError('furcate: with(context) is a method of forkable functions: build.with({ ids, coords }).');
  const all = [copyOf(context, `the context of ${entry.name}`), ...contexts];
  const bound: AnyCallable = (...args) => fn(...args, ...all);
  Object.defineProperty(bound, 'name', { value: fn.name, configurable: true });
  Object.defineProperty(bound, WITH_CONTEXT, { value: { fn, contexts: all } satisfies WithContext });
  return offerContexts(bound);
}

/** Gives a function its method `with`. */
export function offerContexts<F extends object>(fn: F): F {
  if (Object.isExtensible(fn))
    Object.defineProperty(fn, 'with', { value: withContext, configurable: true, writable: true });
  return fn;
}

/** The context as tasks on this thread get it. */
function copyOf(context: unknown, name: string): object {
  refuseRevoked(context, name);
  if (typeof context !== 'object' || context === null || Array.isArray(context) || !isPlain(context))
    throw new TypeError(
      `furcate: ${name} must be a plain object, with({ ids, coords }), that holds what its tasks use; it was ${show(context)}.`,
    );
  const copier = new Copier();
  const data = copier.copy(context, inTask, placeIn(name));
  const copy = copier.opened(data) as object;
  addContext(Object.freeze(copy), { data, isMarked: copy !== data, codes: [...copier.codes] }, name);
  return copy;
}
