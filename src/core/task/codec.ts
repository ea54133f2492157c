/**
 * Tasks in and out of records: what publication costs; runs on every thread.
 *
 * A thief makes the object without running its constructor (`Reflect.construct` of the base class: same hidden class)
 * and assigns the fields in order. After it ran, result and own fields go back the same way, so a joined task looks
 * as if it had run here. The names of the fields are entries of the code table: a record carries their number.
 */

import { packError, unpackError } from '../code/error-transport.js';
import { registrationOf, registry } from '../code/registry.js';
import { codeTable, KIND_SHAPE, wordOfCodes } from '../code/table.js';
import { openInstances, packInstances } from '../code/value-class.js';
import { NotShareableError } from '../errors.js';
import type { ControlMemory } from '../memory/control.js';
import { lastExternal } from '../memory/external-buffers.js';
import { isHeapFull } from '../memory/heap.js';
import {
  FORM_BLOB,
  FORM_INSTANCES,
  FORM_LOST,
  FORM_UNTOLD,
  FORM_VALUES,
  MAX_VALUES,
  R_BLOB,
  R_CODE,
  R_DEPENDENCIES,
  R_EXTERNAL,
  R_FORM,
  R_RESULT,
  R_SHAPE,
  R_VALUES,
  VALUE_WORDS,
} from '../memory/records.js';
import { ALIVE, fateOf, freedError } from '../memory/shared-array.js';
import { type CallTask, isCallTask } from './call-task.js';
import { ForkJoinTask, isTask, nameOf } from './fork-join-task.js';
import { ShareCheck, type Unshareable } from './shareable.js';
import { readBlob, readValue, toBytes, tryWriteNumbers, tryWriteValue, writeBlob } from './values.js';

type Fields = Record<string, unknown>;

/** What a thief runs: a task object of its own, or a call. */
export type Decoded =
  | { readonly task: ForkJoinTask<unknown>; readonly index: -1; readonly args: readonly [] }
  | { readonly task: null; readonly index: number; readonly args: unknown[] };

const shapeIds = new Map<string, number>();
const shapeKeys = new Map<number, string[]>();

function shapeIdOf(keys: string[]): number {
  const text = JSON.stringify(keys);
  let id = shapeIds.get(text);
  if (id === undefined) {
    id = codeTable().idOf(KIND_SHAPE, '', text);
    shapeIds.set(text, id);
    shapeKeys.set(id, keys);
  }
  return id;
}

function keysOfShape(id: number): string[] {
  let keys = shapeKeys.get(id);
  if (keys === undefined) {
    keys = JSON.parse(codeTable().entry(id).name) as string[];
    shapeKeys.set(id, keys);
  }
  return keys;
}

/** The user's fields, in order; `$state` and `$result` are ours. */
const fieldsOf = (task: object): string[] => Object.keys(task).filter((key) => key !== '$state' && key !== '$result');

/**
 * Refuses a task that is to start with a shared array that was freed; deeper in objects the encoder finds it.
 *
 * @throws TypeError that names the field or argument
 */
export function refuseFreed(task: ForkJoinTask<unknown>): void {
  if (isCallTask(task)) {
    const { args } = task;
    for (let k = 0; k < args.length; k++)
      if (isFreed(args[k])) throw freedError(`argument ${k + 1} of ${nameOf(task)}`);
    return;
  }
  for (const key in task) {
    if (isFreed((task as unknown as Fields)[key])) throw freedError(`field '${key}' of ${nameOf(task)}`);
  }
}

const isFreed = (value: unknown): boolean =>
  typeof value === 'object' && ArrayBuffer.isView(value) && fateOf(value) !== ALIVE;

function tryWriteValues(memory: ControlMemory, w: number, values: readonly unknown[]): boolean {
  if (values.length > MAX_VALUES) return false;
  for (let k = 0; k < values.length; k++) {
    if (!tryWriteValue(memory, w + R_VALUES + k * VALUE_WORDS, values[k])) return false;
  }
  return true;
}

/** Fills in the record of a forked task object; throws a NotShareableError or TaskRegistrationError of its own. */
export function encodeTask(memory: ControlMemory, w: number, task: ForkJoinTask<unknown>): void {
  if (isCallTask(task)) {
    const { index, args }: CallTask<unknown> = task;
    encodeCall(memory, w, index, args);
    return;
  }
  const registration = registrationOf(task);
  const keys = fieldsOf(task);
  const values = keys.map((key) => (task as unknown as Fields)[key]);
  const { words } = memory;
  words[w + R_CODE] = codeTable().idOfRegistration(registration);
  words[w + R_SHAPE] = shapeIdOf(keys);
  words[w + R_BLOB] = 0;
  writeValues(memory, w, values, (k) => `field '${keys[k]}' of ${nameOf(task)}`);
  words[w + R_EXTERNAL] = lastExternal(); // after the values: writing them may have introduced a buffer
}

/** Fills in the record of a forked call. */
export function encodeCall(memory: ControlMemory, w: number, index: number, args: readonly unknown[]): void {
  const { words } = memory;
  const registration = registry.functionEntries[index];
  words[w + R_CODE] = codeTable().idOfRegistration(registration);
  words[w + R_SHAPE] = args.length;
  words[w + R_BLOB] = 0;
  writeValues(memory, w, args, (k) => `argument ${k + 1} of ${registration.name}`);
  words[w + R_EXTERNAL] = lastExternal(); // after the values: writing them may have introduced a buffer
}

/** Writes fields or arguments into the record, or else into its blob; `R_DEPENDENCIES` is then what they need. */
function writeValues(
  memory: ControlMemory,
  w: number,
  values: readonly unknown[],
  nameOfPart: (k: number) => string,
): void {
  const { words } = memory;
  words[w + R_DEPENDENCIES] = 0;
  words[w + R_FORM] = FORM_VALUES;
  if (tryWriteValues(memory, w, values)) return;
  const check = new ShareCheck();
  words[w + R_FORM] = writeShareable(memory, w, values, check, values, nameOfPart);
  if (check.classes.size > 0) words[w + R_DEPENDENCIES] = wordOfCodes(check.classes);
}

/** The blob of a record that has one. */
function readWhole(memory: ControlMemory, w: number): unknown {
  const whole = readBlob(memory, w);
  return memory.words[w + R_FORM] === FORM_INSTANCES ? openInstances(whole) : whole;
}

function readValues(memory: ControlMemory, w: number, count: number): unknown[] {
  if (memory.words[w + R_FORM] !== FORM_VALUES) return readWhole(memory, w) as unknown[];
  const values: unknown[] = [];
  for (let k = 0; k < count; k++) values.push(readValue(memory, w + R_VALUES + k * VALUE_WORDS));
  return values;
}

/** What the record holds, for a thread that has its code. */
export function decode(memory: ControlMemory, w: number, kind: string, value: unknown, index: number): Decoded {
  const shape = memory.words[w + R_SHAPE];
  if (kind === 'function') return { task: null, index, args: readValues(memory, w, shape) };
  const task = Reflect.construct(ForkJoinTask, [], value as new () => unknown) as ForkJoinTask<unknown>;
  const keys = keysOfShape(shape);
  const values = readValues(memory, w, keys.length);
  for (let k = 0; k < keys.length; k++) (task as unknown as Fields)[keys[k]] = values[k];
  return { task, index: -1, args: [] };
}

interface Home {
  /** Packed error, or undefined. */
  readonly error?: unknown;
  readonly result?: unknown;
  readonly fields?: unknown[];
}

/** Writes how a stolen task ended; returns true if it completed normally after all. */
export function encodeOutcome(
  memory: ControlMemory,
  w: number,
  task: ForkJoinTask<unknown> | null,
  failed: boolean,
  value: unknown,
): boolean {
  const { words } = memory;
  const own = task !== null && !isCallTask(task) ? task : null;
  words[w + R_FORM] = FORM_BLOB;
  try {
    const keys = own === null ? [] : fieldsOf(own);
    const fields = keys.map((key) => (own as unknown as Fields)[key]); // a getter may throw, an array may be freed
    if (own !== null) words[w + R_SHAPE] = shapeIdOf(keys);
    if (!failed && tryWriteValues(memory, w, fields) && tryWriteResult(memory, w, value, fields.length)) {
      words[w + R_FORM] = FORM_VALUES;
      return true;
    }
    const home: Home = failed ? { error: packError(value), fields } : { result: value, fields };
    const result = `the result of ${codeTable().entry(words[w + R_CODE]).name}`;
    const check = new ShareCheck();
    if (!failed) {
      refuseCode(value, result);
      refuse(check.inResult(value), result);
    }
    words[w + R_FORM] = writeShareable(
      memory,
      w,
      home,
      check,
      fields,
      (k) => `field '${keys[k]}' of ${nameOf(own as object)}`,
      () => {
        if (!failed) refuseUncloneable(value, result);
      },
    );
    return !failed;
  } catch (error) {
    writeError(memory, w, failed ? value : error);
    return false;
  }
}

/** Numbers stand behind the fields. */
function tryWriteResult(memory: ControlMemory, w: number, result: unknown, fields: number): boolean {
  const from = w + R_VALUES + fields * VALUE_WORDS;
  const end = w + R_VALUES + MAX_VALUES * VALUE_WORDS;
  return tryWriteValue(memory, w + R_RESULT, result) || tryWriteNumbers(memory, w + R_RESULT, result, from, end);
}

/** The last resort, which must not fail: the forker would wait for ever. */
function writeError(memory: ControlMemory, w: number, error: unknown): void {
  let failure = tryWriteError(memory, w, error);
  if (failure !== undefined && !isHeapFull(failure)) failure = tryWriteError(memory, w, untold(failure));
  if (failure !== undefined) memory.words[w + R_FORM] = isHeapFull(failure) ? FORM_LOST : FORM_UNTOLD;
}

/** Writes an error as the outcome of a task; returns what made that fail, if anything did. */
function tryWriteError(memory: ControlMemory, w: number, error: unknown): unknown {
  try {
    writeBlob(memory, w, { error: packError(error) } satisfies Home);
    return undefined;
  } catch (failure) {
    return failure ?? untold(failure);
  }
}

function untold(why?: unknown): Error {
  const reason = why === undefined ? 'the stack of its thread may be used up' : String((why as Error).message ?? why);
  return new Error(`furcate: how a stolen task ended could not be encoded, so it counts as failed: ${reason}`);
}

/** Brings a stolen task home: assigns its fields and gives its result, or what it threw. */
export function decodeOutcome(memory: ControlMemory, w: number, task: ForkJoinTask<unknown> | null): unknown {
  const { words } = memory;
  const own = task !== null && !isCallTask(task) ? (task as unknown as Fields) : null;
  const keys = own === null ? [] : keysOfShape(words[w + R_SHAPE]);
  if (words[w + R_FORM] === FORM_VALUES) {
    if (own !== null) {
      for (let k = 0; k < keys.length; k++) {
        own[keys[k]] = readValue(memory, w + R_VALUES + k * VALUE_WORDS, own[keys[k]]);
      }
    }
    if (own !== null) dropOthers(own, keys);
    return readValue(memory, w + R_RESULT);
  }
  if (words[w + R_FORM] === FORM_LOST) {
    return new RangeError('furcate: the shared heap has no room for how a stolen task ended.');
  }
  if (words[w + R_FORM] === FORM_UNTOLD) return untold();
  const home = readWhole(memory, w) as Home;
  const fields = home.fields;
  if (own !== null && fields !== undefined) {
    for (const [k, key] of keys.entries()) own[key] = fields[k];
    dropOthers(own, keys);
  }
  return 'error' in home ? unpackError(home.error as never) : home.result;
}

/** Fields that the body deleted, on a thread that has them still. `$state` and `$result` are the two more. */
function dropOthers(own: Fields, keys: readonly string[]): void {
  if (Object.keys(own).length <= keys.length + 2) return;
  for (const key of fieldsOf(own)) if (!keys.includes(key)) delete own[key];
}

/**
 * Puts `whole` into the record's blob; throws a NotShareableError that names the part which cannot cross.
 *
 * @param check has seen what of `whole` is not among the parts
 * @returns the form that it has there
 */
function writeShareable(
  memory: ControlMemory,
  w: number,
  whole: unknown,
  check: ShareCheck,
  parts: readonly unknown[],
  nameOfPart: (k: number) => string,
  refuseOther: () => void = () => {},
): number {
  for (const [k, part] of parts.entries()) refuse(check.inField(part), nameOfPart(k));
  const hasInstances = check.classes.size > 0;
  try {
    writeBlob(memory, w, hasInstances ? packInstances(whole) : whole);
    return hasInstances ? FORM_INSTANCES : FORM_BLOB;
  } catch (error) {
    if (NotShareableError.is(error)) {
      for (const [k, part] of parts.entries()) refuseUncloneable(part, nameOfPart(k));
      refuseOther();
    }
    throw error;
  }
}

/** What the runtime's serializer refuses, and no list of kinds knows: generators, ports, ... */
function refuseUncloneable(value: unknown, what: string): void {
  try {
    toBytes(value);
  } catch (cause) {
    if (!NotShareableError.is(cause)) throw cause;
    throw new NotShareableError(`furcate: ${what} cannot leave its thread. ${cause.message}`, { cause });
  }
}

function refuse(found: Unshareable | undefined, what: string): void {
  if (found === undefined) return;
  const { path, reason, cure } = found;
  throw new NotShareableError(`furcate: ${what}${path === '' ? '' : ` (at ${path})`} ${reason}. ${cure}`);
}

/** A result may hold copies of plain arrays, but neither code nor tasks: a task would arrive as a plain object. */
function refuseCode(value: unknown, what: string): void {
  const kind = isTask(value) ? 'task' : typeof value;
  if (kind !== 'function' && kind !== 'symbol' && kind !== 'task') return;
  throw new NotShareableError(`furcate: ${what} is a ${kind}, which cannot leave its worker.`);
}
