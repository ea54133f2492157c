/**
 * Objects of the platform that structured cloning takes: blobs, images, keys, modules of WebAssembly; runs on every thread.
 *
 * Small ones that tell all of themselves cross as data (`BY_VALUE`), from any thread to any other. The platform alone can clone the rest, in
 * messages to threads that are known. So the owner of a pool posts these to all workers, and copies hold their numbers (external-buffers.ts).
 * What cannot be cloned, but transferred, goes to the worker alone that runs its task (moved-objects.ts).
 */

import { NotShareableError } from '../errors.js';
import { externalBuffer, externalId } from '../memory/external-buffers.js';
import { type Moves, movedHere } from '../memory/moved-objects.js';
import { tagOf, withArticle } from './object-kind.js';

type Values = readonly unknown[];

interface ByValue {
  take(value: never): Values;
  make(Class: never, values: Values): object;
}

const made = (Class: new (...values: Values) => object, values: Values): object => new Class(...values);

const RECTANGLE: ByValue = { take: ({ x, y, width, height }: DOMRect) => [x, y, width, height], make: made };
const POINT: ByValue = { take: ({ x, y, z, w }: DOMPoint) => [x, y, z, w], make: made };
const MATRIX: ByValue = {
  take(matrix: DOMMatrix) {
    const { a, b, c, d, e, f } = matrix;
    return [matrix.is2D ? [a, b, c, d, e, f] : [...matrix.toFloat64Array()]];
  },
  make: made,
};
const QUAD: ByValue = {
  take: ({ p1, p2, p3, p4 }: DOMQuad) => [p1, p2, p3, p4].map(({ x, y, z, w }) => ({ x, y, z, w })),
  make: made,
};
const PIXELS: ByValue = {
  take: ({ data, width, height, colorSpace }: ImageData) => [data.slice(), width, height, { colorSpace }],
  make: made,
};

const BY_VALUE: ReadonlyMap<string, ByValue> = new Map([
  ['DOMRect', RECTANGLE],
  ['DOMRectReadOnly', RECTANGLE],
  ['DOMPoint', POINT],
  ['DOMPointReadOnly', POINT],
  ['DOMMatrix', MATRIX],
  ['DOMMatrixReadOnly', MATRIX],
  ['DOMQuad', QUAD],
  ['ImageData', PIXELS],
]);

/**
 * Form in which a copy holds an object of the platform: the name of a class and what the object is made of, or the number of one that was
 * posted.
 */
export type Crossing =
  | { readonly name: string; readonly values: Values }
  | { readonly id: number }
  | { readonly moved: number };

/** Classes whose objects the platform transfers, beside buffers. */
const TRANSFERABLE =
  /^(MessagePort|OffscreenCanvas|ImageBitmap|(Readable|Writable|Transform)Stream|VideoFrame|AudioData|RTCDataChannel|MediaStreamTrack)$/;

/** Its class. Ports of Node have the tag of their parent. */
function classOf(value: object): string {
  const tag = tagOf(value);
  return tag === 'EventTarget' ? String(value.constructor?.name) : tag;
}

export const isTransferable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && TRANSFERABLE.test(classOf(value));

/** Reason why an object does not travel as others do; undefined for what cannot be transferred either. */
export const onlyTransferable = (value: unknown): string | undefined =>
  isTransferable(value) ? `is ${withArticle(classOf(value))}, which can only be transferred, to one worker` : undefined;

/** The error for an object that the platform does not transfer now. */
export const unmovable = (object: object, cause: unknown): NotShareableError =>
  new NotShareableError(
    `furcate: ${withArticle(classOf(object))} cannot be transferred: ${(cause as Error).message} An object can be transferred once, by a host that ` +
      'knows how, and before it is used: a canvas before it has a context, a stream before it has a reader or writer.',
    { cause },
  );

/** The objects that are to be moved with what is copied now. */
let moving: Moves | undefined;

/** Copies values of which some objects are to be moved. */
export function whileMoving<T>(moves: Moves | undefined, copy: () => T): T {
  const outer = moving;
  moving = moves;
  try {
    return copy();
  } finally {
    moving = outer;
  }
}

/** Checks whether it is a buffer, or a view of one. */
export const isOfBuffer = (value: object): boolean => ArrayBuffer.isView(value) || tagOf(value).endsWith('ArrayBuffer');

/** Returns the form in which an object crosses to another thread; undefined if it cannot cross. */
export function crossingOf(value: unknown): Crossing | undefined {
  if (typeof value !== 'object' || value === null || isOfBuffer(value)) return undefined;
  const moved = moving?.get(value);
  if (moved !== undefined) return { moved };
  const name = tagOf(value);
  const values = BY_VALUE.get(name)?.take(value as never);
  if (values !== undefined) return { name, values };
  const id = externalId(value, cloneOf);
  return id === undefined ? undefined : { id };
}

/** A clone as messages make it; undefined for what has none. Node makes a plain object of many of its own. */
export function cloneOf<T extends object>(value: T): T | undefined {
  try {
    const clone = structuredClone(value);
    return tagOf(clone) === 'Object' ? undefined : clone;
  } catch {
    return undefined;
  }
}

/** Result of a rule for an object of the platform that crosses. */
export class Crosses {
  readonly crossing: Crossing;

  constructor(crossing: Crossing) {
    this.crossing = crossing;
  }
}

/** Rebuilds what has crossed. @throws TypeError on a thread that lacks its class; Error for one that was dropped */
export function arrived(crossing: Crossing): object {
  if ('id' in crossing) return externalBuffer(crossing.id);
  if ('moved' in crossing) return movedHere(crossing.moved);
  const { name, values } = crossing;
  const Class = (globalThis as unknown as Record<string, never>)[name];
  return (BY_VALUE.get(name) as ByValue).make(Class, values);
}
