/**
 * Error messages of the engines: V8, JavaScriptCore (Bun, Safari), and SpiderMonkey where it is known; runs on every thread. Nothing
 * else in an error tells these cases apart.
 */

import { isOfPages } from '../platform/page-names.js';

/** Checks whether this is the error of an engine whose stack was used up. */
export function isStackOverflow(error: unknown): error is Error {
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'InternalError') return message === 'too much recursion';
  return name === 'RangeError' && typeof message === 'string' && message.startsWith('Maximum call stack size exceeded');
}

/** Checks whether this is such an error, or one that tells of it. */
export const isOfStack = (error: unknown): boolean =>
  isStackOverflow(error) || isStackOverflow((error as Partial<Error> | undefined)?.cause);

/** V8 and SpiderMonkey; JavaScriptCore. */
const UNKNOWN_NAME = /^(?:(\S+) is not defined|Can't find variable: (\S+))$/;

/** V8 and, with a full stop, Bun's JavaScriptCore (others do not tell the name); SpiderMonkey. */
const NOT_YET =
  /^(?:Cannot access '(\S+)' before initialization\.?|can't access lexical declaration '(\S+)' before initialization)$/;

/** The name in the message of a `ReferenceError`, if it is one that nothing declares, or that of a page (page-names.ts). */
export function unknownName(message: string): string | undefined {
  const [, name, other] = UNKNOWN_NAME.exec(message) ?? [];
  const [, early, late] = NOT_YET.exec(message) ?? [];
  const ofPage = early ?? late;
  return name ?? other ?? (ofPage !== undefined && isOfPages(ofPage) ? ofPage : undefined);
}

/**
 * Writes to frozen objects. V8's messages for strings and functions, which nobody freezes, do not match; JavaScriptCore and SpiderMonkey say
 * the same of all.
 */
const FROZEN =
  /\b[Oo]bject (?:that )?is not extensible\.?$|^Cannot (delete|redefine) property\b|^Cannot assign to read only property '.*' of object\b|^Attempted to assign to readonly property\.$|^Attempting to change .* property\.$|^Unable to delete property\.$|^Array length is not writable$|^(?:".*"|\d+) is read-only$|^can't (?:redefine non-configurable property|define array index property past the end)\b|\bis non-configurable and can't be deleted$/;

/** Checks whether the message of a `TypeError` says that an object was not to be changed. */
export const isWriteToFrozen = (message: string): boolean => FROZEN.test(message);

/** A property that could not be read, because there is no object. */
export interface PropertyOfNothing {
  /** Undefined where the engine does not name it. */
  readonly property: string | undefined;
  /** By a pattern, `{ property } = ...`. */
  readonly isDestructured: boolean;
  /** The name of the variable that is undefined, where the engine tells; `undefined` is that of a parameter which is a pattern. */
  readonly from?: string | undefined;
}

const DESTRUCTURED =
  /^Cannot destructure property '(.+?)' (?:of '(.+?)' as it is undefined\.|from null or undefined value)$/;
/** SpiderMonkey, of a variable and of a parameter that a pattern takes apart. It does not name the property. */
const TAKEN_APART = /^(?:([\p{ID_Continue}$]+)|\(destructured parameter\)) is undefined$/u;
/** SpiderMonkey. */
const ACCESSED = /^can't access property "(.+?)", ([\p{ID_Continue}$]+) is undefined$/u;
const READ = /^Cannot read properties of undefined \(reading '(.+?)'\)$/;
/** JavaScriptCore, which quotes the source. A write has more in it. */
const EVALUATED = /^undefined is not an object \(evaluating '([\p{ID_Continue}$]+)\.([\p{ID_Continue}$]+)'\)$/u;

/** Reads the message of a `TypeError` about a property that could not be read; undefined for other messages. */
export function propertyOfNothing(message: string): PropertyOfNothing | undefined {
  const [, destructured, source] = DESTRUCTURED.exec(message) ?? [];
  if (destructured !== undefined) return { property: destructured, isDestructured: true, from: source };
  const [taken, takenFrom = 'undefined'] = TAKEN_APART.exec(message) ?? [];
  if (taken !== undefined) return { property: undefined, isDestructured: true, from: takenFrom };
  const [, object, evaluated] = EVALUATED.exec(message) ?? [];
  if (evaluated !== undefined) return { property: evaluated, isDestructured: false, from: object };
  const [, accessed, variable] = ACCESSED.exec(message) ?? [];
  if (accessed !== undefined) return { property: accessed, isDestructured: false, from: variable };
  const [, read] = READ.exec(message) ?? [];
  return read === undefined ? undefined : { property: read, isDestructured: false };
}
