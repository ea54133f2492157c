/**
 * Checks what another process has sent, before anything is made of it; runs on the thread that opens a parcel.
 *
 * Whoever may publish can send any bytes. The serializer makes plain data of them, and `openData` makes objects of that data. So the data may say
 * only what a `Copier` says: marks of four kinds, with contents of the right types, each on its own, and names of registered code. There are no functions
 * in a parcel. So nothing that arrives can be called, and no name is looked up but in the registry.
 *
 * All checks take time in proportion to the number of bytes: an array claims no more elements than it has bytes, and no two marks share what
 * is copied for each of them.
 */
import { LONG_ARRAY } from '../code/data-contents.js';
import { BUFFER, ERROR, INSTANCE, type Mark, SHARED, VERBATIM } from '../code/data-marks.js';
import { MARK } from '../code/data-path.js';
import { isMap, isSet, standsInClass } from '../code/object-kind.js';
import type { RegisteredKind } from '../code/registry.js';
import { show } from '../errors.js';
import { isTypedArray } from '../memory/element-types.js';

/** Code that both processes know: its kind, the module that registers it, and its name there. */
export type CodeName = readonly [kind: RegisteredKind, url: string, name: string];

/** Characters of a URL or a name. */
const MOST_CHARACTERS = 4096;

/** Bytes that no `pack...` function has made. */
export const malformed = (what: string, cause?: unknown): TypeError =>
  Object.assign(
    new TypeError(
      `furcate: a message does not hold what this version of furcate sends: ${what}. Let only clients and hosts of your application publish to its subjects.`,
    ),
    cause === undefined ? {} : { cause },
  );

/** @throws TypeError for what is not the name of code of one of these kinds */
export function checkCodeName(name: unknown, kinds: readonly RegisteredKind[]): CodeName {
  if (!Array.isArray(name) || name.length !== 3) throw malformed(`${show(name)} stands where the name of code should`);
  const [kind, url, text] = name as unknown[];
  if (!kinds.includes(kind as RegisteredKind)) throw malformed(`it names code of the kind ${show(kind)}`);
  for (const part of [url, text])
    if (typeof part !== 'string' || part.length > MOST_CHARACTERS) throw malformed(`${show(part)} names code`);
  return name as unknown as CodeName;
}

/** Limits of a parcel's values: the classes to which they may refer, and the parcel's size (bytes). */
export interface Known {
  /** The classes that values may have, by the numbers that stand for them: their prototypes. */
  readonly classes: ReadonlyMap<number, object>;
  readonly sizeBytes: number;
}

/** @throws TypeError for values that no `Copier` makes */
export function checkValues(values: unknown, { classes, sizeBytes }: Known): void {
  const rest: unknown[] = [values];
  const seen = new Set<object>();
  /** Parts that are copied for the mark that has them. */
  const owned = new Set<object>();
  const own = (part: unknown): void => {
    if (!isObject(part) || owned.has(part)) throw malformed('two values have the same contents');
    owned.add(part);
  };

  const markOf = (found: Partial<Mark>): object => {
    const { [MARK]: kind, value, fields } = found;
    if (!isRecord(fields)) throw malformed(`the properties of a value are ${show(fields)}`);
    if (kind === INSTANCE) {
      const code: unknown = isRecord(value) ? value['code'] : undefined;
      const prototype = classes.get(code as number);
      if (prototype === undefined) throw malformed('a value is of a class that it does not name');
      for (const key of Object.keys(fields)) checkField(prototype, key);
    } else if (kind === ERROR) own(checkDescription(value, sizeBytes));
    else if (kind === SHARED || kind === BUFFER) checkView(value);
    else if (kind !== VERBATIM) throw malformed(`it has a mark of the kind ${show(kind)}`);
    own(kind === SHARED ? value : fields);
    return fields;
  };

  while (rest.length > 0) {
    const part = rest.pop();
    if (!isObject(part) || seen.has(part) || ArrayBuffer.isView(part)) continue;
    seen.add(part);
    if (Array.isArray(part)) {
      if (part.length > sizeBytes)
        throw malformed(`an array of ${part.length} elements is said to be in ${sizeBytes} bytes`);
      for (const element of part) if (isObject(element)) rest.push(element);
      if (part.length <= LONG_ARRAY) for (const more of Object.values(part)) if (isObject(more)) rest.push(more);
    } else if (isMap(part)) for (const entry of part) rest.push(...entry);
    else if (isSet(part)) for (const member of part) rest.push(member);
    else for (const inside of Object.values(Object.hasOwn(part, MARK) ? markOf(part) : part)) rest.push(inside);
  }
}

/** @throws TypeError for a field that would replace what the class itself says */
export function checkField(prototype: object, key: unknown): string {
  if (typeof key !== 'string') throw malformed(`${show(key)} names a field`);
  if (standsInClass(prototype, key)) throw malformed(`the field '${key}' has the name of a method or accessor`);
  return key;
}

/** @returns the names of the error's hidden properties, each of which is set */
function checkDescription(description: unknown, sizeBytes: number): readonly unknown[] {
  if (!isRecord(description)) throw malformed(`an error is ${show(description)}`);
  const { base, own, registered, name, message, stack, hidden } = description;
  const areTexts = [base, name, message].every(isText) && [own, stack].every((one) => one === undefined || isText(one));
  // The lengths first: an array of a few bytes may claim four thousand million elements.
  const isName =
    registered === undefined || (Array.isArray(registered) && registered.length === 2 && registered.every(isText));
  if (!areTexts || !isName || !Array.isArray(hidden) || hidden.length > sizeBytes || !hidden.every(isText))
    throw malformed('the description of an error has parts of other types');
  return hidden;
}

function checkView(view: unknown): void {
  if (!isTypedArray(view)) throw malformed(`${show(view)} stands where a typed array should`);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && !Array.isArray(value) && !ArrayBuffer.isView(value);
