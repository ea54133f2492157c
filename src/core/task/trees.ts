/**
 * Values that are small trees of plain objects and arrays, with nothing but primitive values at their leaves; runs on every thread.
 *
 * Most values that cross threads are such. A `Copier`, which looks for instances of classes, for errors, handles and what is shared within a value,
 * takes ten times as long.
 */
import { hasMore } from '../code/data-contents.js';

/** Number of objects that a tree holds at most. Each of them is compared with those before it. */
const MAX_OBJECTS = 32;

export const NO_TREE = Symbol('furcate.noTree');

export const isPrimitive = (value: unknown): boolean => {
  const type = typeof value;
  return type === 'object' ? value === null : type !== 'function' && type !== 'symbol';
};

const isPlainArray = (value: object): value is unknown[] =>
  Object.getPrototypeOf(value) === Array.prototype && Array.isArray(value);
const isPlainObject = (value: object): value is Record<string, unknown> =>
  Object.getPrototypeOf(value) === Object.prototype && Object.prototype.toString.call(value) === '[object Object]';

/** A copy; `NO_TREE` for any other value, and if an object is in it twice: a copy must be so, too. */
export const treeCopy = (value: unknown): unknown => (isPrimitive(value) ? value : copyOf(value as object, undefined));

/** @param around objects that were copied before, the value itself included; undefined for the value itself */
function copyOf(value: object, around: object[] | undefined): unknown {
  if (around !== undefined) {
    if (around.length === MAX_OBJECTS || around.includes(value)) return NO_TREE;
    around.push(value);
  }
  if (isPlainArray(value)) return copyOfArray(value, around);
  return isPlainObject(value) ? copyOfObject(value, around) : NO_TREE;
}

function copyOfObject(value: Readonly<Record<string, unknown>>, around: object[] | undefined): unknown {
  const copy: Record<string, unknown> = { ...value };
  let seen = around;
  for (const key in copy) {
    const child = copy[key];
    if (isPrimitive(child)) continue;
    if (typeof child !== 'object' || key === '__proto__') return NO_TREE; // to set it would not make a property
    seen ??= [value];
    const own = copyOf(child as object, seen);
    if (own === NO_TREE) return NO_TREE;
    copy[key] = own;
  }
  return Object.getOwnPropertySymbols(copy).length === 0 ? copy : NO_TREE;
}

function copyOfArray(array: readonly unknown[], around: object[] | undefined): unknown {
  const copy = new Array<unknown>(array.length);
  let seen = around;
  let holes = 0;
  for (let i = 0; i < array.length; i++) {
    const child = array[i];
    if (child === undefined && !(i in array)) {
      holes++;
      continue;
    }
    if (isPrimitive(child)) {
      copy[i] = child;
      continue;
    }
    if (typeof child !== 'object') return NO_TREE;
    seen ??= [array];
    const own = copyOf(child as object, seen);
    if (own === NO_TREE) return NO_TREE;
    copy[i] = own;
  }
  return hasMore(array, holes) ? NO_TREE : copy;
}

/** Checks whether a value is a tree, for who copies it by a serializer, which keeps what is shared. */
export function isTree(value: unknown): boolean {
  try {
    return isPrimitive(value) || objectsLeft(value as object, MAX_OBJECTS) >= 0;
  } catch {
    return false; // code of the value's own, or a proxy that was revoked: who copies it says where
  }
}

/** Number of further objects that there may be; negative if there are too many, or something else. */
function objectsLeft(value: object, most: number): number {
  if (most === 0) return -1;
  if (isPlainArray(value)) return objectsLeftOfArray(value, most - 1);
  return isPlainObject(value) ? objectsLeftOfObject(value, most - 1) : -1;
}

function objectsLeftOfObject(value: Readonly<Record<string, unknown>>, most: number): number {
  let left = most;
  for (const key in value) {
    left = leftAfter(value[key], left);
    if (left < 0) return -1;
  }
  return left;
}

function objectsLeftOfArray(array: readonly unknown[], most: number): number {
  let left = most;
  let holes = 0;
  for (let i = 0; i < array.length; i++) {
    const child = array[i];
    left = leftAfter(child, left);
    if (left < 0) return -1;
    if (child === undefined && !(i in array)) holes++;
  }
  return hasMore(array, holes) ? -1 : left;
}

function leftAfter(child: unknown, left: number): number {
  if (isPrimitive(child)) return left;
  return typeof child === 'object' ? objectsLeft(child as object, left) : -1;
}
