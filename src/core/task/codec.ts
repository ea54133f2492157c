/**
 * Tasks in and out of records; runs on every thread.
 *
 * A thief makes the object without running its constructor (`Reflect.construct` of the base class gives the same hidden class)
 * and assigns the fields in order. When the task has run, its result and fields go back in the same way, so a joined task looks
 * as if it had run here. The list of field names is an entry of the code table, and a record carries the number of that entry.
 */

import { packError, unpackError } from '../code/error-transport.js';
import { registrationOf, registry } from '../code/registry.js';
import type { ResolvedCode } from '../code/resolver.js';
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
import { CallTask, isCallTask } from './call-task.js';
import { ForkJoinTask, isTask, nameOf } from './fork-join-task.js';
import { ShareCheck } from './shareable.js';
import { readBlob, readValue, toBytes, tryWriteNumbers, tryWriteValue, writeBlob } from './values.js';

type Fields = Record<string, unknown>;

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

/** The names of the user's fields, in order; `$state` and `$result` are ours. */
const fieldsOf = (task: object): string[] => Object.keys(task).filter((key) => key !== '$state' && key !== '$result');

/** The task as an object with fields; undefined for a call, whose arguments do not come back. */
const withFields = (task: ForkJoinTask<unknown> | null): Fields | undefined =>
  task === null || isCallTask(task) ? undefined : (task as unknown as Fields);

/**
 * Refuses a task with a shared array that was freed; the encoder finds those deeper in objects.
 *
 * @throws TypeError that names the field or argument
 */
export function refuseFreed(task: ForkJoinTask<unknown>): void {
  if (isCallTask(task)) {
    const k = task.args.findIndex(isFreed);
    if (k >= 0) throw freedError(`argument ${k + 1} of ${nameOf(task)}`);
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

/** Fills in the record of a task; throws a NotShareableError or TaskRegistrationError. */
export function encodeTask(memory: ControlMemory, w: number, task: ForkJoinTask<unknown>): void {
  const { words } = memory;
  words[w + R_BLOB] = 0;
  if (isCallTask(task)) {
    const { index, args } = task;
    const registration = registry.functionEntries[index];
    words[w + R_CODE] = codeTable().idOfRegistration(registration);
    words[w + R_SHAPE] = args.length;
    writeValues(memory, w, args, (k) => `argument ${k + 1} of ${registration.name}`);
  } else {
    const registration = registrationOf(task);
    const keys = fieldsOf(task);
    const values = keys.map((key) => (task as unknown as Fields)[key]);
    words[w + R_CODE] = codeTable().idOfRegistration(registration);
    words[w + R_SHAPE] = shapeIdOf(keys);
    writeValues(memory, w, values, (k) => `field '${keys[k]}' of ${nameOf(task)}`);
  }
  words[w + R_EXTERNAL] = lastExternal(); // after the values, which may bring a new buffer
}

/** Writes fields or arguments into the record, or else into its blob; sets `R_DEPENDENCIES` to what they need. */
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
  const parts = values.map((value, k) => ({ value, name: nameOfPart(k), isResult: false }));
  const classes = writeShareable(memory, w, values, parts);
  if (classes.size > 0) words[w + R_DEPENDENCIES] = wordOfCodes(classes);
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

/** The task that the record holds, for a thread that has its code. */
export function decode(memory: ControlMemory, w: number, { kind, value, index }: ResolvedCode): ForkJoinTask<unknown> {
  const shape = memory.words[w + R_SHAPE];
  if (kind === 'function') return new CallTask(index, readValues(memory, w, shape));
  const task = Reflect.construct(ForkJoinTask, [], value as new () => unknown) as ForkJoinTask<unknown>;
  const keys = keysOfShape(shape);
  const values = readValues(memory, w, keys.length);
  for (let k = 0; k < keys.length; k++) (task as unknown as Fields)[keys[k]] = values[k];
  return task;
}

/** How a task ended, as a blob holds it. */
interface Home {
  /** The packed error, if it failed. */
  readonly error?: unknown;
  readonly result?: unknown;
  readonly fields?: unknown[];
}

/**
 * Writes how a stolen task ended.
 *
 * @param task null if the task could not even be decoded
 * @param value the result, or the error if it failed
 * @returns true if it completed normally and its outcome could be encoded
 */
export function encodeOutcome(
  memory: ControlMemory,
  w: number,
  task: ForkJoinTask<unknown> | null,
  failed: boolean,
  value: unknown,
): boolean {
  const { words } = memory;
  const own = withFields(task);
  words[w + R_FORM] = FORM_BLOB;
  try {
    const keys = own === undefined ? [] : fieldsOf(own);
    const fields = keys.map((key) => own?.[key]); // a getter may throw, an array may be freed
    if (own !== undefined) words[w + R_SHAPE] = shapeIdOf(keys);
    if (!failed && tryWriteValues(memory, w, fields) && tryWriteResult(memory, w, value, fields.length)) {
      words[w + R_FORM] = FORM_VALUES;
      return true;
    }
    const parts: Part[] = fields.map((field, k) => ({
      value: field,
      name: `field '${keys[k]}' of ${nameOf(task as object)}`,
      isResult: false,
    }));
    const home: Home = failed ? { error: packError(value), fields } : { result: value, fields };
    const name = `the result of ${codeTable().entry(words[w + R_CODE]).name}`;
    if (!failed) parts.unshift({ value, name, isResult: true });
    writeShareable(memory, w, home, parts);
    return !failed;
  } catch (error) {
    writeError(memory, w, failed ? value : error);
    return false;
  }
}

/** Writes the result into its own words, or an array of numbers into the words after the fields. */
function tryWriteResult(memory: ControlMemory, w: number, result: unknown, fields: number): boolean {
  const from = w + R_VALUES + fields * VALUE_WORDS;
  const end = w + R_VALUES + MAX_VALUES * VALUE_WORDS;
  return tryWriteValue(memory, w + R_RESULT, result) || tryWriteNumbers(memory, w + R_RESULT, result, from, end);
}

/** The last resort. It must not fail, or the forker would wait for ever. */
function writeError(memory: ControlMemory, w: number, error: unknown): void {
  let failure = tryWriteError(memory, w, error);
  if (failure !== undefined && !isHeapFull(failure)) failure = tryWriteError(memory, w, untold(failure));
  if (failure !== undefined) memory.words[w + R_FORM] = isHeapFull(failure) ? FORM_LOST : FORM_UNTOLD;
}

/** Writes an error as the outcome of a task; returns undefined, or what made the writing fail. */
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

/** Brings a stolen task home: assigns its fields, and returns its result or its error. */
export function decodeOutcome(memory: ControlMemory, w: number, task: ForkJoinTask<unknown> | null): unknown {
  const { words } = memory;
  const form = words[w + R_FORM];
  if (form === FORM_LOST) return new RangeError('furcate: the shared heap has no room for how a stolen task ended.');
  if (form === FORM_UNTOLD) return untold();
  const own = withFields(task);
  const keys = own === undefined ? [] : keysOfShape(words[w + R_SHAPE]);
  const home: Home =
    form === FORM_VALUES
      ? {
          fields: keys.map((key, k) => readValue(memory, w + R_VALUES + k * VALUE_WORDS, own?.[key])),
          result: readValue(memory, w + R_RESULT),
        }
      : (readWhole(memory, w) as Home);
  if (own !== undefined && home.fields !== undefined) {
    for (const [k, key] of keys.entries()) own[key] = home.fields[k];
    dropOthers(own, keys);
  }
  return 'error' in home ? unpackError(home.error as never) : home.result;
}

/** Deletes the fields that the body deleted on the other thread. `$state` and `$result` make the difference of two. */
function dropOthers(own: Fields, keys: readonly string[]): void {
  if (Object.keys(own).length <= keys.length + 2) return;
  for (const key of fieldsOf(own)) if (!keys.includes(key)) delete own[key];
}

/** A part of a blob, as errors name it. */
interface Part {
  readonly name: string;
  readonly value: unknown;
  /** A result may hold copies of plain arrays. */
  readonly isResult: boolean;
}

/**
 * Puts `whole`, which consists of these parts, into the record's blob.
 *
 * @returns the numbers of the classes whose instances it holds
 * @throws NotShareableError that names the part which cannot cross
 */
function writeShareable(memory: ControlMemory, w: number, whole: unknown, parts: readonly Part[]): Set<number> {
  const check = new ShareCheck();
  for (const { name, value, isResult } of parts) {
    if (isResult) refuseCode(value, name);
    const found = isResult ? check.inResult(value) : check.inField(value);
    if (found === undefined) continue;
    const { path, reason, cure } = found;
    throw new NotShareableError(`furcate: ${name}${path === '' ? '' : ` (at ${path})`} ${reason}. ${cure}`);
  }
  const hasInstances = check.classes.size > 0;
  try {
    writeBlob(memory, w, hasInstances ? packInstances(whole) : whole);
  } catch (error) {
    if (NotShareableError.is(error)) for (const part of parts) refuseUncloneable(part);
    throw error;
  }
  memory.words[w + R_FORM] = hasInstances ? FORM_INSTANCES : FORM_BLOB;
  return check.classes;
}

/** Refuses what the runtime's serializer refuses: generators, ports, and other kinds that no list of ours knows. */
function refuseUncloneable({ name, value }: Part): void {
  try {
    toBytes(value);
  } catch (cause) {
    if (!NotShareableError.is(cause)) throw cause;
    throw new NotShareableError(`furcate: ${name} cannot leave its thread. ${cause.message}`, { cause });
  }
}

/** Refuses a result that is code or a task: a task would arrive as a plain object. */
function refuseCode(value: unknown, name: string): void {
  const kind = isTask(value) ? 'task' : typeof value;
  if (kind !== 'function' && kind !== 'symbol' && kind !== 'task') return;
  throw new NotShareableError(`furcate: ${name} is a ${kind}, which cannot leave its worker.`);
}
