/** Host functions: run once on a host for each job, on its main thread, with the host's pool for what is inside. */
import type { ForkJoinPool } from 'furcate';
import { TaskRegistrationError } from 'furcate';
import { show } from '../core/show.js';

/** Context that a host function gets beside its argument. */
export interface HostContext {
  /** The host's pool. */
  readonly pool: ForkJoinPool;
  /** Aborted when the call is cancelled that the job belongs to. */
  readonly signal: AbortSignal;
  /** The name of the host. */
  readonly host: string;
}

/** A function that `hostFunction` has made: hosts run it, for calls of a cluster. */
export interface HostFunction<A, R> {
  (argument: A, context: HostContext): R | Promise<R>;
  /** Tells it from other functions. */
  readonly furcateHostFunction: HostFunctionName;
}

/** The module that makes a host function, and its name there. */
export interface HostFunctionName {
  readonly url: string;
  readonly name: string;
}

type AnyHostFunction = HostFunction<never, unknown>;

const known: AnyHostFunction[] = [];

/**
 * Makes a function that hosts run: it may read files, and use the host's pool. Hosts find it by (module, name), and by the name alone where
 * their modules lie elsewhere.
 *
 * @param url `import.meta.url` of the module that makes it
 * @param name any name, unique within the module
 * @param fn takes one argument and a `HostContext`; runs on the host's main thread, so what computes for long belongs into `pool`
 * @returns `fn` itself
 * @throws TypeError for a bad url, name or function
 */
export function hostFunction<A, R>(
  url: string,
  name: string,
  fn: (argument: A, context: HostContext) => R | Promise<R>,
): HostFunction<A, R> {
  if (typeof url !== 'string' || url === '')
    throw new TypeError(`furcate: hostFunction(url, name, fn) takes import.meta.url first; it was ${show(url)}.`);
  if (typeof name !== 'string' || name === '')
    throw new TypeError(
      `furcate: hostFunction(url, name, fn) takes a name, unique in the module; it was ${show(name)}.`,
    );
  if (typeof fn !== 'function')
    throw new TypeError(`furcate: hostFunction(url, '${name}', fn) takes a function; it was ${show(fn)}.`);
  const made = Object.assign(fn, { furcateHostFunction: { url, name } }) as HostFunction<A, R>;
  const at = known.findIndex((one) => one.furcateHostFunction.url === url && one.furcateHostFunction.name === name);
  known.splice(at < 0 ? known.length : at, 1, made as unknown as AnyHostFunction);
  return made;
}

/** The name of a host function; undefined for any other value. */
export const nameOfHostFunction = (value: unknown): HostFunctionName | undefined =>
  typeof value === 'function' ? (value as Partial<AnyHostFunction>).furcateHostFunction : undefined;

/** Checks whether a module has made a host function. */
export const hasHostFunctionsOf = (url: string): boolean =>
  known.some(({ furcateHostFunction }) => furcateHostFunction.url === url);

/** The names of all host functions of this process. */
export const hostFunctionNames = (): string[] => known.map(({ furcateHostFunction: { name } }) => name);

/** @throws TaskRegistrationError that lists what this process knows */
export function findHostFunction({ url, name }: HostFunctionName): HostFunction<unknown, unknown> {
  const named = known.filter((one) => one.furcateHostFunction.name === name);
  const found = named.find((one) => one.furcateHostFunction.url === url) ?? (named.length === 1 ? named[0] : undefined);
  if (found !== undefined) return found as unknown as HostFunction<unknown, unknown>;
  if (named.length > 1)
    throw new TaskRegistrationError(
      `furcate: this host has ${named.length} host functions '${name}', of several modules. Give each a name of its own.`,
    );
  const names = hostFunctionNames().map((one) => `'${one}'`);
  throw new TaskRegistrationError(
    `furcate: this host has no host function '${name}'. It has ${names.length === 0 ? 'none' : names.join(', ')}: start it with the module that makes it (${url} where it was called).`,
  );
}
