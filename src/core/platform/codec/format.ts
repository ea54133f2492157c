/**
 * The bytes of the portable codec: a version, then one value. A value is a tag and what the tag asks for.
 *
 * Objects have numbers in the order in which they first appear, and a later appearance is such a number. An object has a head, which tells what to
 * make, and contents. Contents that are nested deeper than `MAX_DEPTH` follow behind the whole value, in the order of their heads, so that no chain
 * of objects overflows the stack. Writer and reader count the levels alike.
 *
 * Numbers that count something are varints: seven bits to a byte, the lowest first.
 */

/** Changes with the format. Bytes only travel between threads that run one version of the library. */
export const VERSION = 1;

/** Depth to which contents may nest before the rest is put off. A level takes up to 1 KB of stack, in writer and reader. */
export const MAX_DEPTH = 64;

export const UNDEFINED = 0;
export const NULL = 1;
export const FALSE = 2;
export const TRUE = 3;
/** A varint of the zigzag of a 32-bit integer. */
export const INTEGER = 4;
export const DOUBLE = 5;
/** Four bytes of length, and UTF-8. */
export const UTF8 = 6;
/** Number of units, and the units: for short strings that are not ASCII, and those with lone surrogates, which UTF-8 cannot tell. */
export const UTF16 = 7;
/** 64 bits, signed. */
export const BIGINT_64 = 8;
/** A string, in base 16. */
export const BIGINT = 9;
/** In the place of an element or property that is not there. */
export const HOLE = 10;
export const REFERENCE = 11;

/** Contents: a shape, and a value for each of its keys. */
export const OBJECT = 12;
/** Contents: one of the forms below. */
export const ARRAY = 13;
/** Contents: number of entries, and each one's key and value. */
export const MAP = 14;
export const SET = 15;
/** Its class; contents: a value each for message, stack and cause, or HOLE. */
export const ERROR = 16;
export const DATE = 17;
export const REGEXP = 18;
export const BOXED = 19;
/** Its length, the length up to which it may grow plus one, or 0; and the bytes. */
export const BUFFER = 20;
/** Its type plus one, or 0 for a DataView; number of bytes, and the bytes. */
export const VIEW = 21;
/** A view on shared memory: how many numbers name it, and the numbers. */
export const SHARED_VIEW = 22;

/** Its message, name and stack. */
export const DOM_EXCEPTION = 23;

/** From here to `SMALL_INTEGER`: an ASCII string of so many units. */
export const SHORT_STRING = 0x40;
export const SHORT_UNITS = 0x40;
/** From here to 255: the integers 0 to 127. */
export const SMALL_INTEGER = 0x80;

/** Forms of an array's contents. Length; length and a value each; then the keys and values of other properties. */
export const DENSE = 0;
/** Length, then keys and values of all properties. */
export const SPARSE = 1;
/** Length, padding, and 32-bit integers. */
export const INTEGERS = 2;
export const DOUBLES = 3;

/**
 * The longest array (elements) that keeps properties besides its elements. To find these, an engine lists all keys, at up to 5 ns each in V8 and 50
 * to 1,000 in JavaScriptCore.
 */
export const LONG_ARRAY = 4096;

/** Place of an object's keys: written here, and the next shape from now on; written here only; those of the shape of this number. */
export const NEW_SHAPE = 0;
export const NO_SHAPE = 1;
export const FIRST_SHAPE = 2;

/** Position in this list is the number of an error's class. */
export const ERRORS = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];
