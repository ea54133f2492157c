/**
 * Instances of the user's classes that cross threads: an instance of a class that `registerClass` knows is made again from its fields,
 * and all others are refused; runs on every thread.
 *
 * A copy without its class would lose its methods on some threads only, as the schedule has it. The class travels by its number in the
 * code table. A record's dependencies include the numbers of all classes in it, so a thief has their modules before it takes the task.
 * Constructors do not run on arrival.
 */
import { NotShareableError } from '../errors.js';
import { TASK } from './brands.js';
import { tagOf, withArticle } from './object-kind.js';
import { isBuiltin, nearestRegistrationOf, ownRegistrationOf, type Registered, registry } from './registry.js';
import { isFailed, MISSING, resolver } from './resolver.js';
import { supplier } from './supplier.js';

/** Name of a class in copied data. */
export interface ClassName {
  readonly code: number;
  /** True if it comes from a bundled worker, whose URLs mean nothing elsewhere, so that the name decides. */
  readonly byName: boolean;
}

/** Reason why a value cannot travel. */
export interface Refusal {
  /** As in "`context.v` is an instance of Vec, which ...". */
  readonly reason: string;
  readonly cure: string;
}

/** The cure for values whose kind has no better one. */
export const CURE = 'Use sharedArray() for data, and registered tasks or forkable() for code.';

/**
 * Makes a class of plain values known under (module, name), so that its instances may stand in fields, arguments, results and
 * `context`. They arrive with their class and own fields; the constructor does not run there.
 *
 * @param url `import.meta.url` of the module that defines the class (`__filename` in CommonJS); workers import that module
 * @param name any name, unique within the module; no export is needed
 * @param Class a class whose instances are made of their fields: no `#private` members, and no parent of the language, such
 *   as `Map`. A subclass needs a registration of its own
 * @throws TypeError for a bad url, name or class
 * @example
 * export class Vec {
 *   static { registerClass(import.meta.url, 'Vec', Vec); }
 *   constructor(x, y) { this.x = x; this.y = y; }
 *   get length() { return Math.hypot(this.x, this.y); }
 * }
 */
export function registerClass(url: string, name: string, Class: abstract new (...args: never) => object): void {
  registry.register('value class', url, name, Class);
}

/** Reason why this instance cannot travel; undefined where it can. */
export function refusalOf(instance: object): Refusal | undefined {
  if (TASK in instance) return { reason: 'is a task, which other workers cannot share', cure: CURE };
  const registered = ownRegistrationOf(instance);
  if (registered?.kind === 'value class') {
    const hidden = hiddenPropertyOf(instance);
    if (hidden === undefined) return undefined;
    return {
      reason: `is ${withArticle(registered.name)} with the ${hidden} of its own, which would not travel along`,
      cure: 'Make it a plain field, or a method or accessor of the class.',
    };
  }
  const prototype: object = Object.getPrototypeOf(instance);
  const name: unknown = Object.hasOwn(prototype, 'constructor') && prototype.constructor?.name;
  if (typeof name !== 'string' || name === '' || name === 'Object') {
    return {
      reason: 'is an object with a prototype of its own, which it would lose on another thread',
      cure: 'Pass a plain object, or an instance of a class that registerClass() knows.',
    };
  }
  const reason = `is an instance of ${name}, which would lose its class on another thread`;
  const tag = tagOf(instance);
  if (LANGUAGE_TAGS.includes(tag)) return { reason, cure: `Pass a plain ${tag === 'Array' ? 'array' : tag}.` };
  const parent = nearestRegistrationOf(instance);
  const also =
    parent?.kind === 'value class' ? ` Its parent ${parent.name} is registered; a subclass needs its own line.` : '';
  const cure = `Register it, registerClass(import.meta.url, '${name}', ${name}), or pass plain data.${also}`;
  return { reason, cure };
}

/** Classes of the language that a user's class may extend and still be data. */
const LANGUAGE_TAGS = ['Array', 'Map', 'Set', 'Date', 'RegExp'];

/** A property that `Object.keys` and a plain assignment would miss or change. */
function hiddenPropertyOf(value: object): string | undefined {
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') return `property ${String(key)}`;
    const { get, set, enumerable } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    if (get !== undefined || set !== undefined) return `accessor '${key}'`;
    if (enumerable !== true) return `hidden property '${key}'`;
  }
  return undefined;
}

/**
 * The name of an instance's class, for the copy of an instance that can travel.
 *
 * @throws RangeError when the heap is full
 */
export function nameOfClass(instance: object): ClassName {
  const registered = ownRegistrationOf(instance) as Registered;
  if (isBuiltin(registered.url)) supplier.share(); // other threads may lack what defines it
  return { code: resolver().table.idOfRegistration(registered), byName: resolver().byName };
}

/**
 * An instance of the class that a copy names, without its fields.
 *
 * @throws TaskRegistrationError where its module is not loaded on this thread
 */
export function newInstance({ code, byName }: ClassName): object {
  const codes = resolver();
  const found = codes.tryResolve(code);
  const isLacking = found === MISSING || isFailed(found);
  const namesake = isLacking && byName ? registry.byNameOnly('value class', codes.table.entry(code).name) : undefined;
  const Class = namesake?.value ?? codes.valueOf(code);
  return Object.create((Class as { readonly prototype: object }).prototype);
}

/** The error for a value that cannot travel; `what` names the value. */
export const notShareable = (what: string, { reason, cure }: Refusal): NotShareableError =>
  new NotShareableError(`furcate: ${what} ${reason}.${cure && ` ${cure}`}`, { path: what });
