/** Plain data as JSON text, where that is exact; runs on every thread that computes. */

/**
 * Number of objects that a value holds at most (32 to 512). Each of them is compared with those before it, which takes 0.1 us for the last
 * ones.
 */
const MAX_OBJECTS = 256;
/** To look for what an array has besides its elements takes longer the longer it is. */
const MAX_ELEMENTS = 4096;

/** Most that a value may hold. */
interface TextBounds {
  readonly objects: number;
  /** In each array. */
  readonly elements: number;
}

const USUAL: TextBounds = { objects: MAX_OBJECTS, elements: MAX_ELEMENTS };

/**
 * An object as JSON text: a copy that crosses threads in less time than one by a serializer. Undefined where JSON would lose something (`undefined`, NaN, -0,
 * holes, bigints, classes, an object that is in it twice), and for what is no object.
 */
export const textOf = (value: unknown, bounds = USUAL): string | undefined =>
  typeof value === 'object' && value !== null && !('toJSON' in Array.prototype) && isExact(value, [], bounds)
    ? JSON.stringify(value)
    : undefined;

function isExact(value: object, seen: object[], bounds: TextBounds): boolean {
  if (seen.length === bounds.objects || seen.includes(value)) return false;
  seen.push(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype && Array.isArray(value)) return isExactArray(value, seen, bounds);
  // What is made by a class of the platform may be given another prototype.
  if (prototype !== Object.prototype || Object.prototype.toString.call(value) !== '[object Object]') return false;
  for (const key in value) if (!isExactPart((value as Record<string, unknown>)[key], seen, bounds)) return false;
  return true;
}

function isExactArray(array: readonly unknown[], seen: object[], bounds: TextBounds): boolean {
  if (array.length > bounds.elements) return false;
  for (let i = 0; i < array.length; i++) if (!isExactPart(array[i], seen, bounds)) return false; // a hole is undefined
  return Object.values(array).length === array.length;
}

function isExactPart(value: unknown, seen: object[], bounds: TextBounds): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return value - value === 0 && (value !== 0 || 1 / value > 0);
    default:
      return value === null || (typeof value === 'object' && isExact(value, seen, bounds));
  }
}
