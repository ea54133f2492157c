/**
 * Instances of the user's classes in what travels: those of a class that `registerClass` knows are made again from their
 * fields, all others are refused; runs on every thread.
 *
 * A copy without its class would answer `v.length()` or not as the schedule has it. The class travels by its number in the
 * code table; a record names the numbers of all classes in it among its needs, so that a thief has them before it takes the
 * task. Constructors do not run on arrival.
 */
import { NotShareableError, TaskRegistrationError } from '../errors.js';
import { type CopyRules, copyData, KEEP, openData } from './data-copy.js';
import { ownRegistrationOf, type Registered, registry } from './registry.js';
import { isFailed, MISSING, resolver } from './resolver.js';

/** What stands for a class in copied data. */
interface ClassName {
  readonly code: number;
  /** It comes from a thread where names alone decide, so that its URL means nothing elsewhere. */
  readonly byName: boolean;
}

/** Why an instance cannot travel. */
export interface Refusal {
  /** As in "`context.v` is an instance of Vec, which ...". */
  readonly reason: string;
  readonly cure: string;
}

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

const articleOf = (name: string): string => (/^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`);

/** The registration of its class, or why the instance cannot travel. */
function look(value: object): Registered | Refusal {
  const registered = ownRegistrationOf(value);
  if (registered?.kind === 'value class') {
    const hidden = hiddenPropertyOf(value);
    if (hidden === undefined) return registered;
    const cure = 'Make it a plain field, or a method or accessor of the class.';
    return {
      reason: `is ${articleOf(registered.name)} with the ${hidden} of its own, which would not travel along`,
      cure,
    };
  }
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const prototype: object = Object.getPrototypeOf(value);
  const { name } = prototype.constructor ?? {};
  const isOwn = Object.hasOwn(prototype, 'constructor') && typeof name === 'string' && name !== '';
  if (!isOwn || name === 'Object') {
    const reason = 'is an object with a prototype of its own, which it would lose on another thread';
    return { reason, cure: 'Pass a plain object, or an instance of a class that registerClass() knows.' };
  }
  const lost = `is an instance of ${name}, which would lose its class on another thread`;
  if (Array.isArray(value) || tag === 'Map' || tag === 'Set' || tag === 'Date' || tag === 'RegExp') {
    return { reason: lost, cure: `Pass a plain ${Array.isArray(value) ? 'array' : tag}.` };
  }
  const parent = parentRegistrationOf(prototype);
  const also = parent === undefined ? '' : ` Its parent ${parent.name} is registered; a subclass needs its own line.`;
  return {
    reason: lost,
    cure: `Register it, registerClass(import.meta.url, '${name}', ${name}), or pass plain data.${also}`,
  };
}

function parentRegistrationOf(prototype: object): Registered | undefined {
  for (let p: object = prototype; Object.getPrototypeOf(p) !== null; p = Object.getPrototypeOf(p)) {
    const found = ownRegistrationOf(p);
    if (found?.kind === 'value class') return found;
  }
  return undefined;
}

/** What `Object.keys` and a plain assignment would miss or change. */
function hiddenPropertyOf(value: object): string | undefined {
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') return `property ${String(key)}`;
    const { get, set, enumerable } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    if (get !== undefined || set !== undefined) return `accessor '${key}'`;
    if (enumerable !== true) return `hidden property '${key}'`;
  }
  return undefined;
}

const isRefusal = (found: Registered | Refusal): found is Refusal => 'reason' in found;

/** Why this instance cannot travel; undefined where it can. */
export function refusalOf(instance: object): Refusal | undefined {
  const found = look(instance);
  return isRefusal(found) ? found : undefined;
}

/** The number of a registered instance's class. */
export const classCodeOf = (instance: object): number =>
  resolver().table.idOfRegistration(ownRegistrationOf(instance) as Registered);

/** What a copy has in the place of the class; `refused` throws for an instance that cannot travel. */
export function nameOfClass(instance: object, refused: (refusal: Refusal) => never): ClassName {
  const found = look(instance);
  if (isRefusal(found)) return refused(found);
  const { table, byName } = resolver();
  return { code: table.idOfRegistration(found), byName };
}

/** The same for a copy that may go without: undefined for an instance that cannot travel. */
export const tryNameOfClass = (instance: object): ClassName | undefined =>
  refusalOf(instance) === undefined ? nameOfClass(instance, unreachable) : undefined;

function unreachable(): never {
  throw new Error('furcate: an instance changed while it was copied.');
}

/**
 * An instance of the class that a copy names, without its fields.
 *
 * @throws TaskRegistrationError where its module is not loaded on this thread
 */
export function newInstance(of: unknown): object {
  const { code, byName } = of as ClassName;
  const found = resolver().tryResolve(code);
  if (found !== MISSING && !isFailed(found)) return Object.create((found.value as { prototype: object }).prototype);
  const { kind, url, name } = resolver().table.entry(code);
  const namesake = byName ? registry.byNameOnly('value class', name) : undefined;
  if (namesake !== undefined) return Object.create(namesake.value.prototype as object);
  if (found !== MISSING) throw new TaskRegistrationError((found as { failure: string }).failure);
  throw new TaskRegistrationError(
    `furcate: the ${kind} '${name}' of ${url} is not loaded on this thread, which was given an instance of it. Import that module here first.`,
  );
}

const PACKING: CopyRules = { ...KEEP, onInstance: (instance) => nameOfClass(instance, unreachable) };
const OPENING = { readers: {}, newInstance };

/** Data with registered instances in it, ready for a serializer that knows plain objects only. */
export const packInstances = (value: unknown): unknown => copyData(value, '', PACKING);

/** What `packInstances` took. */
export const openInstances = (value: unknown): unknown => openData(value, OPENING);

/** The error that names where an instance was found. */
export const refusedInstance = (what: string, path: string, { reason, cure }: Refusal): NotShareableError =>
  new NotShareableError(`furcate: ${what} ${reason}. ${cure}`, { path });
