/**
 * Tasks in and out of records; runs on every thread.
 *
 * A thief makes the object without running its constructor (`Reflect.construct` of the base class gives the same hidden class)
 * and assigns the fields in order. When the task has run, its result and fields go back in the same way, so a joined task looks
 * as if it had run here. The list of field names is an entry of the code table, and a record carries the number of that entry.
 * Values that fit the record's words are written there. All others are copied (data-copy.ts) into a blob.
 */

import { ALL, type Detail, MESSAGE, NO_STACKS } from '../code/error-detail.js';
import { isFunctionKind, registrationOf, registry } from '../code/registry.js';
import type { ResolvedCode } from '../code/resolver.js';
import { codeTable, idOfList, listOf, wordOfCodes } from '../code/table.js';
import { codesOfContexts } from '../code/task-contexts.js';
import type { ControlMemory } from '../memory/control.js';
import { lastExternal } from '../memory/external-buffers.js';
import { isHeapFull } from '../memory/heap.js';
import {
  FORM_BLOB,
  FORM_LAST_WORDS,
  FORM_MARKED,
  FORM_PARCEL,
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
import { ForkJoinTask, nameOf } from './fork-join-task.js';
import { readLastWords, writeLastWords } from './last-words.js';
import { Parcel, pack } from './parcel.js';
import { inResult, inTask } from './shareable.js';
import { readBlob, readValue, tryWriteNumbers, tryWriteValue, writeBlob } from './values.js';

type Fields = Record<string, unknown>;

/** The names of the user's fields, in order; `$state` and `$result` are ours. */
export const fieldsOf = (task: object): string[] =>
  Object.keys(task).filter((key) => key !== '$state' && key !== '$result');

/** The task as an object with fields; undefined for a call, whose arguments do not come back. */
const withFields = (task: ForkJoinTask<unknown> | null): Fields | undefined =>
  task === null || isCallTask(task) ? undefined : (task as unknown as Fields);

/** Name for error messages of the argument of a number, or the field of a name. */
export const memberName = (task: ForkJoinTask<unknown>, key: number | string): string =>
  `${typeof key === 'number' ? `argument ${key + 1}` : `field '${key}'`} of ${nameOf(task)}`;

/**
 * Refuses a task with a shared array that was freed; the encoder finds those deeper in objects.
 *
 * @throws TypeError that names the field or argument
 */
export function refuseFreed(task: ForkJoinTask<unknown>): void {
  if (isCallTask(task)) {
    const k = task.args.findIndex(isFreed); // not `for in`, which makes a string of each index: half of an empty invokeSync
    if (k >= 0) throw freedError(memberName(task, k));
    return;
  }
  const fields = task as unknown as Fields;
  for (const key in fields) if (isFreed(fields[key])) throw freedError(memberName(task, key));
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

function writeParcel(memory: ControlMemory, w: number, { bytes, isMarked }: Parcel, isResult = false): void {
  writeBlob(memory, w, bytes);
  memory.words[w + R_FORM] = (isMarked ? FORM_MARKED : FORM_BLOB) | (isResult ? FORM_PARCEL : 0);
}

const readParcel = (memory: ControlMemory, w: number): Parcel =>
  new Parcel(readBlob(memory, w), (memory.words[w + R_FORM] & ~FORM_PARCEL) === FORM_MARKED);

/** Fills in the record of a task; throws a NotShareableError or TaskRegistrationError. */
export function encodeTask(memory: ControlMemory, w: number, task: ForkJoinTask<unknown>): void {
  const { words } = memory;
  const isCall = isCallTask(task);
  words[w + R_BLOB] = 0;
  const keys = isCall ? [] : fieldsOf(task);
  const values = isCall ? task.args : keys.map((key) => (task as unknown as Fields)[key]);
  words[w + R_CODE] = codeTable().idOfRegistration(
    isCall ? registry.functionEntries[task.index] : registrationOf(task),
  );
  words[w + R_SHAPE] = isCall ? values.length : idOfList(keys);
  words[w + R_FORM] = FORM_VALUES;
  if (tryWriteValues(memory, w, values)) words[w + R_DEPENDENCIES] = wordOfCodes(codesOfContexts(values));
  else {
    const parcel = pack(values, (k) => memberName(task, isCall ? k : keys[k]), inTask);
    writeParcel(memory, w, parcel);
    words[w + R_DEPENDENCIES] = wordOfCodes(parcel.codes);
  }
  words[w + R_EXTERNAL] = lastExternal(); // after the values, which may bring a new buffer
}

/** The task that the record holds, for a thread that has its code. */
export function decode(memory: ControlMemory, w: number, { kind, value, index }: ResolvedCode): ForkJoinTask<unknown> {
  const shape = memory.words[w + R_SHAPE];
  const isCall = isFunctionKind(kind);
  const keys = isCall ? [] : listOf<string>(shape);
  const values =
    memory.words[w + R_FORM] === FORM_VALUES
      ? readValues(memory, w, isCall ? shape : keys.length)
      : readParcel(memory, w).open();
  if (isCall) return new CallTask(index, values);
  const task = Reflect.construct(ForkJoinTask, [], value as new () => unknown) as ForkJoinTask<unknown>;
  for (let k = 0; k < keys.length; k++) (task as unknown as Fields)[keys[k]] = values[k];
  return task;
}

function readValues(memory: ControlMemory, w: number, count: number): unknown[] {
  const values: unknown[] = [];
  for (let k = 0; k < count; k++) values.push(readValue(memory, w + R_VALUES + k * VALUE_WORDS));
  return values;
}

/**
 * Writes how a stolen task ended: its fields, and its result or error behind them.
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
  try {
    const own = withFields(task);
    const keys = own === undefined ? [] : fieldsOf(own);
    const fields = keys.map((key) => own?.[key]); // a getter may throw, an array may be freed
    if (own !== undefined) words[w + R_SHAPE] = idOfList(keys);
    if (!failed && tryWriteValues(memory, w, fields) && tryWriteResult(memory, w, value, fields.length)) {
      words[w + R_FORM] = FORM_VALUES;
      return true;
    }
    if (!failed && value instanceof Parcel) writeParcel(memory, w, value, true);
    else {
      const nameOfValue = (k: number): string =>
        k < keys.length
          ? memberName(task as ForkJoinTask<unknown>, keys[k])
          : `the result of ${task === null ? codeTable().entry(words[w + R_CODE]).name : nameOf(task)}`;
      writeParcel(memory, w, pack([...fields, value], nameOfValue, inTask, failed ? ALL : inResult));
    }
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

/**
 * Writes an error alone, and as much of it as the heap has room for, or the words of a record if the host's serializer itself fails. It is the
 * last resort and must not fail, or the forker would wait for ever.
 */
function writeError(memory: ControlMemory, w: number, error: unknown): void {
  let thrown = error;
  let failure = tryWriteError(memory, w, thrown, ALL);
  if (failure !== undefined && !isHeapFull(failure)) {
    thrown = untold(failure);
    failure = tryWriteError(memory, w, thrown, ALL);
  }
  if (isHeapFull(failure)) failure = tryWriteError(memory, w, thrown, NO_STACKS);
  if (isHeapFull(failure)) failure = tryWriteError(memory, w, thrown, MESSAGE);
  try {
    if (failure !== undefined) writeLastWords(memory, w, thrown, failure as Error);
  } catch {
    memory.words[w + R_FORM] = FORM_UNTOLD;
  }
}

/** Returns undefined, or what made the writing fail. */
function tryWriteError(memory: ControlMemory, w: number, error: unknown, detail: Detail): unknown {
  try {
    writeParcel(
      memory,
      w,
      pack([error], () => 'the error', inTask, detail),
    );
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
  if (form === FORM_LAST_WORDS) return readLastWords(memory, w);
  if (form === FORM_UNTOLD) return untold();
  if ((form & FORM_PARCEL) !== 0) return readParcel(memory, w);
  const own = withFields(task);
  const keys = own === undefined ? [] : listOf<string>(words[w + R_SHAPE]);
  const values =
    form === FORM_VALUES
      ? [
          ...keys.map((key, k) => readValue(memory, w + R_VALUES + k * VALUE_WORDS, own?.[key])),
          readValue(memory, w + R_RESULT),
        ]
      : readParcel(memory, w).open();
  const outcome = values.pop();
  if (own !== undefined && values.length === keys.length) bringHome(own, keys, values); // else there is an error alone
  return outcome;
}

/** Gives a task the fields that its body left on the other thread. */
export function bringHome(own: Fields, keys: readonly string[], values: readonly unknown[]): void {
  for (let k = 0; k < keys.length; k++) {
    const key = keys[k];
    // An assignment of the same value would tell V8 that the field changes.
    if (!Object.is(own[key], values[k]) || !(key in own)) own[key] = values[k];
  }
  if (Object.keys(own).length === keys.length + 2) return; // `$state` and `$result`
  for (const key of fieldsOf(own)) if (!keys.includes(key)) delete own[key];
}
