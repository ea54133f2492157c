/**
 * Tasks and outcomes as bytes for another process: what records are between threads, without shared memory; runs on any thread.
 *
 * The codec of records (task/codec.ts) names code by its number in the code table, and shared arrays by their place on the heap. Neither means
 * anything elsewhere. So a parcel names code by kind, module and name, and holds shared arrays by value: they arrive as shared arrays of the
 * other process. Both codecs copy values by the same rules, and refuse the same ones, but for ordinary
 * typed arrays: they may stand in tasks here, because nothing is shared.
 */
import { setOwn } from '../code/data-contents.js';
import { Copier, type CopyRule, openData } from '../code/data-copy.js';
import { sharedMark } from '../code/data-marks.js';
import { placeOf } from '../code/module-url.js';
import { standsInClass } from '../code/object-kind.js';
import { isBuiltin, isFunctionKind, type Registered, registrationOf, registry } from '../code/registry.js';
import { codeTable } from '../code/table.js';
import { show, TaskRegistrationError } from '../errors.js';
import { isOnSharedMemory, isTypedArray, type TypedArray } from '../memory/element-types.js';
import { host, type ViewCodec } from '../platform/host.js';
import { CallTask, isCallTask } from '../task/call-task.js';
import { fieldsOf } from '../task/codec.js';
import { ForkJoinTask, isTask, nameOf } from '../task/fork-join-task.js';
import { inResultElsewhere, inTaskElsewhere } from '../task/shareable.js';
import { placeIn } from '../task/uncloneable.js';
import { type CodeName, checkCodeName, checkField, checkValues, malformed } from './checks.js';

/** Another version of the library may read parcels of this version. It changes when they do. */
export const WIRE_VERSION = 1;

/** Outcome of a task: a result, or what it threw. */
export interface Outcome {
  readonly failed: boolean;
  readonly value: unknown;
}

/** The contents of a parcel. */
interface ParcelContents {
  readonly version: number;
  /** Code in the values, by the numbers that stand for it there. */
  readonly codes: readonly (readonly [id: number, name: CodeName])[];
  readonly values: unknown;
}

const VALUE_CLASSES = ['value class'] as const;
const TASK_KINDS = ['class', 'function', 'async function'] as const;

/** Views cross as bytes. Those on shared memory have a mark in their place. */
const views: ViewCodec = {
  encode: () => undefined,
  decode: () => {
    throw new Error('furcate: a parcel holds no places of shared memory.');
  },
};

/** Shared arrays cross by value, and arrive as shared arrays. */
const sharedByValue = (rule: CopyRule): CopyRule => {
  return (value, what, where) => {
    const kept = rule(value, what, where);
    return ArrayBuffer.isView(kept) && isOnSharedMemory(kept) ? sharedMark(kept as TypedArray) : kept;
  };
};
const VALUE_RULE = sharedByValue(inResultElsewhere);
/** Another process shares nothing with this one, so a task may hold ordinary typed arrays, too. Those of a task must be shared where it runs. */
const TASK_RULE: CopyRule = (value, what, where) =>
  isTypedArray(value) ? sharedMark(value) : sharedByValue(inTaskElsewhere)(value, what, where);

/** Numbers the classes in its copies from 0, so that equal values have equal contents in all processes. */
function newCopier(): Copier {
  const copier = new Copier();
  copier.keepsContexts = false;
  const numbers = new Map<number, number>();
  copier.numberOf = (code) => {
    if (!numbers.has(code)) numbers.set(code, numbers.size);
    return numbers.get(code) as number;
  };
  return copier;
}

/** @param hasUrls whether code is named with its module */
function partsOf(copier: Copier, values: unknown, hasUrls = true): ParcelContents {
  const codes = [...copier.codes].map((code) => {
    const { kind, url, name } = codeTable().entry(code);
    return [copier.numberOf(code), [kind, hasUrls ? url : '', name]] as never;
  });
  return { version: WIRE_VERSION, codes, values };
}

const bytesOf = (copier: Copier, values: unknown): Uint8Array => host().serialize(partsOf(copier, values), views);

/**
 * Contents of a parcel, as plain data, and the code that its values name.
 *
 * @throws Error for a parcel of another version; TypeError for bytes that are none; TaskRegistrationError for a class that is not registered here
 */
function contentsOf(bytes: Uint8Array): { readonly values: unknown; readonly numbers: ReadonlyMap<number, number> } {
  let contents: Partial<ParcelContents>;
  try {
    contents = Object(host().deserialize(bytes, views)) as Partial<ParcelContents>;
  } catch (cause) {
    throw malformed('its bytes are no values', cause);
  }
  const { version, codes, values } = contents;
  if (version !== WIRE_VERSION && typeof version === 'number')
    throw new Error(
      `furcate: a parcel of wire version ${version} arrived at a process that reads version ${WIRE_VERSION}. Make both run the same version of furcate.`,
    );
  if (version !== WIRE_VERSION || !Array.isArray(codes) || codes.length > bytes.length)
    throw malformed('it has no list of code and no version');
  const numbers = new Map<number, number>();
  const classes = new Map<number, object>();
  for (const code of codes) {
    const [id, name] = Array.isArray(code) ? code : [];
    const found = codeOf(checkCodeName(name, VALUE_CLASSES));
    numbers.set(id as number, codeTable().idOfRegistration(found));
    classes.set(id as number, found.value.prototype as object);
  }
  checkValues(values, { classes, sizeBytes: bytes.length });
  return { values, numbers };
}

/**
 * The code of that name in this process. Hosts may have the same module at different paths, so the only code of that kind and name will do. The
 * library's own functions are no code that others may name: they run as parts of other calls.
 *
 * @throws TaskRegistrationError that lists what this process knows
 */
function codeOf([kind, url, name]: CodeName): Registered {
  const isOwn = isBuiltin(url);
  const found = isOwn && kind !== 'value class' ? undefined : registry.byKey(kind, url, name);
  if (found !== undefined) return found;
  const namesake = isOwn ? undefined : registry.byNameOnly(kind, name);
  if (namesake !== undefined) return namesake;
  const known = registry.entries
    .filter((entry) => entry.kind === kind && !isBuiltin(entry.url))
    .map((entry) => `'${entry.name}'`);
  throw new TaskRegistrationError(
    `furcate: this process has no ${kind} '${name}'. It has ${known.length === 0 ? 'none' : known.join(', ')}: import the module that registers it (${placeOf(url)} where the task was made).`,
  );
}

/** @throws TypeError for what looks right and cannot be opened, such as errors that are too deep in each other */
function opened(values: unknown, numbers: ReadonlyMap<number, number>): unknown {
  try {
    return openData(values, { codeOf: (id) => numbers.get(id) as number });
  } catch (cause) {
    throw TaskRegistrationError.is(cause) ? cause : malformed('its values cannot be opened', cause);
  }
}

/**
 * A task as bytes. It may have been made in any process that has its code.
 *
 * @throws NotShareableError that names the field or argument; TaskRegistrationError for a class that was not registered
 */
export const packTask = (task: ForkJoinTask<unknown>): Uint8Array =>
  host().serialize(contentsOfTask(task, { rule: TASK_RULE }), views);

/** Subject of identities: a task, or the value that errors call so. `arrays`: whether by what they hold, or by their types and lengths alone. */
interface IdentityOptions {
  readonly what?: string;
  readonly arrays?: 'whole' | 'lengths';
}

/**
 * Distinguishes a task, or another value, from others, as plain data: equal in all processes, wherever their modules lie. The bytes of equal tasks may differ,
 * since those of V8 depend on how an engine happens to hold a number, a text or an array.
 *
 * @throws as `packTask`, or `packValue`
 */
export function identityOf(value: unknown, { what = 'the value', arrays = 'whole' }: IdentityOptions = {}): unknown {
  const rule = arrays === 'whole' ? TASK_RULE : LENGTHS_RULE;
  if (isTask(value)) return contentsOfTask(value, { rule, hasUrls: false });
  const copier = newCopier();
  return partsOf(copier, copier.copy(value, VALUE_RULE, placeIn(what)), false);
}

const LENGTHS_RULE: CopyRule = (value, what, where) =>
  isTypedArray(value) ? [what, value.length] : TASK_RULE(value, what, where);

function contentsOfTask(
  task: ForkJoinTask<unknown>,
  { rule, hasUrls = true }: { readonly rule: CopyRule; readonly hasUrls?: boolean },
): ParcelContents {
  const { kind, url, name } = isCallTask(task)
    ? (registry.functionEntries[task.index] as Registered)
    : registrationOf(task);
  const keys = isCallTask(task) ? task.args.map((_, k) => k) : fieldsOf(task);
  const of = (isCallTask(task) ? task.args : task) as unknown as Readonly<Record<string | number, unknown>>;
  const copier = newCopier();
  const copies = keys.map((key) => {
    const member = typeof key === 'number' ? `argument ${key + 1}` : `field '${key}'`;
    return [key, copier.copy(of[key], rule, placeIn(`${member} of ${nameOf(task)}`))];
  });
  return partsOf(copier, [[kind, hasUrls ? url : '', name] satisfies CodeName, copies], hasUrls);
}

/**
 * @throws TaskRegistrationError where its code, or that of a value in it, is not registered here; Error for another wire version; TypeError for bytes
 *   that are no task
 */
export function unpackTask(bytes: Uint8Array): ForkJoinTask<unknown> {
  const { values, numbers } = contentsOf(bytes);
  if (!Array.isArray(values) || values.length !== 2) throw malformed(`${show(values)} stands where a task should`);
  const { kind, index, value } = codeOf(checkCodeName(values[0], TASK_KINDS));
  const contents: unknown = opened(values[1], numbers);
  if (!Array.isArray(contents)) throw malformed('a task has no list of fields or arguments');
  for (const part of contents as unknown[]) // holes of the list, too
    if (!Array.isArray(part) || part.length !== 2) throw malformed('a field or an argument is no pair');
  if (isFunctionKind(kind))
    return new CallTask(
      index,
      Array.from(contents, ([, argument]) => argument), // not by a method of an array that may have another constructor
    );
  const task = Reflect.construct(ForkJoinTask, [], value as never) as ForkJoinTask<unknown>; // as records do it: no constructor runs
  const own = Object.keys(task);
  for (const [key, field] of contents as [unknown, unknown][]) {
    const name = checkField(value.prototype as object, key);
    if (own.includes(name)) throw malformed(`'${name}' is no field of the user's`);
    setOwn(task, name, field);
  }
  return task;
}

/** A value as bytes, by the rules for results. @param what names it in errors. @throws NotShareableError */
export function packValue(value: unknown, what: string): Uint8Array {
  const copier = newCopier();
  return bytesOf(copier, copier.copy(value, VALUE_RULE, placeIn(what)));
}

/** @throws as `unpackTask` */
export function unpackValue(bytes: Uint8Array): unknown {
  const { values, numbers } = contentsOf(bytes);
  return opened(values, numbers);
}

/** An outcome as bytes. @throws NotShareableError for a result that cannot cross; what was thrown always can */
export function packOutcome({ failed, value }: Outcome): Uint8Array {
  const copier = newCopier();
  const copy = failed ? copier.thrown(value) : copier.copy(value, VALUE_RULE, placeIn('the result'));
  return bytesOf(copier, [failed, copy]);
}

/**
 * @throws as `unpackTask`; TypeError for a result with a method `then`: the promise of the call would call it
 */
export function unpackOutcome(bytes: Uint8Array): Outcome {
  const { values, numbers } = contentsOf(bytes);
  if (!Array.isArray(values) || values.length !== 2 || typeof values[0] !== 'boolean')
    throw malformed(`${show(values)} stands where an outcome should`);
  const [failed, value] = opened(values, numbers) as [boolean, unknown];
  if (!failed && typeof value === 'object' && standsInClass(value, 'then'))
    throw new TypeError(
      'furcate: the result is an object with a method then, which its promise would call. Return it inside another object.',
    );
  return { failed, value };
}
