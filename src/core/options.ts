/**
 * Options of all calls: each is declared once, with its check; on the thread that calls. A check returns what stands for the value, or throws an
 * error that names the option.
 */
import { refuseRevoked, show } from './errors.js';

/** @param what names the option in errors */
export type Check<T = unknown> = (value: unknown, what: string) => T;

/** Options by name. */
export type Schema = Readonly<Record<string, Check>>;

/** Options that were given, as their checks return them. */
export type Given<S extends Schema> = { readonly [K in keyof S]?: ReturnType<S[K]> };

interface Naming {
  /** Before the names of options in errors: 'options.'. */
  readonly prefix?: string;
  /** Hint for a name that another call has. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/**
 * The options that were given. Getters of the user's object run once.
 *
 * @throws TypeError for what is no object, or has a name that is not in the schema; what the checks throw
 */
export function readOptions<S extends Schema>(
  options: unknown,
  call: string,
  schema: S,
  { prefix = '', elsewhere = {} }: Naming = {},
): Given<S> {
  refuseRevoked(options, `what was given as the options of ${call}`);
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`furcate: the options of ${call} must be an object; they were ${show(options)}.`);
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(schema, key)) continue;
    const cure = Object.hasOwn(elsewhere, key) ? elsewhere[key] : '';
    throw new TypeError(`furcate: ${call} has no option '${key}'. It has: ${Object.keys(schema).join(', ')}.${cure}`);
  }
  const checked: Record<string, unknown> = {};
  for (const [key, check] of Object.entries(schema)) {
    const value = (options as Record<string, unknown>)[key];
    if (value === undefined) continue;
    refuseRevoked(value, prefix + key);
    checked[key] = check(value, prefix + key);
  }
  return checked as Given<S>;
}

/** A check for what is of some kind. */
export const mustBe =
  <T>(isRight: (value: unknown) => boolean, needed: string): Check<T> =>
  (value, what) => {
    if (isRight(value)) return value as T;
    throw new TypeError(`furcate: ${what} must be ${needed}; it was ${show(value)}.`);
  };

/** A check by `typeof`. */
export const ofType = <T>(type: 'string' | 'boolean' | 'function'): Check<T> =>
  mustBe((value) => typeof value === type, `a ${type}`);

/** A check for numbers. @param unit of what, if that is to be said: 'threads' @param needed says which may be given */
export const numberOf =
  (isRight: (value: number) => boolean, needed: string, unit?: string): Check<number> =>
  (value, what) => {
    if (typeof value !== 'number')
      throw new TypeError(
        `furcate: ${what} must be a number${unit === undefined ? '' : ` of ${unit}`}; it was ${show(value)}.`,
      );
    if (isRight(value)) return value;
    throw new RangeError(`furcate: ${what} must be ${needed}; it was ${value}.`);
  };

export const milliseconds = numberOf((ms) => ms >= 0, '0 milliseconds or more', 'milliseconds');
