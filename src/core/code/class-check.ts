/**
 * Checks of classes and functions that are registered; runs on every thread, once for each registration.
 *
 * A class with `#private` members is refused. Another thread makes the task without running its constructor, so these members would
 * be missing there. The check runs at the registration, because an error at the first steal would depend on the schedule. Private
 * members, and the helpers that compilers replace them with, are visible in the class's source text only.
 */
import { show } from '../errors.js';
import { ASYNC, TASK } from './brands.js';
import { type Callable, classesFrom, isErrorPrototype, isFunction, isNative, tagOf } from './object-kind.js';

/** Matches every text that has a private member, and few others. */
const MAY_BE_PRIVATE = /#|_(private|class(Private|_private)|check_?private)|\.set\b/i;
/**
 * Comments, strings, pieces of templates, and regular expressions, which follow a sign (the first group). It misses a regular expression
 * after a parenthesis or a comment, which matters only if that expression looks like a private member, or has a quote or a lone bracket.
 */
export const NO_CODE =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|([(,=:[!&|?{};+\-*%<>~^]\s*|\breturn\b\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+\//g;
/** Innermost brackets. */
const BRACKETS = /[([{][^()[\]{}]*[)\]}]/g;
/** A private name outside of brackets. It is a static member or a use, and no declaration, if the first or the last group matches. */
const PRIVATE_NAME = /(\.|\bstatic\b)?[\s*]*(?:\b(?:get|set|async|accessor)\b[\s*]*)*(#[^\s=;]+)(\s*\bin\b)?/g;
/** Helpers of TypeScript, esbuild, Babel and SWC for private members, whatever their version writes after the stem; then the member. */
const PRIVATE_HELPER =
  /\b(__?(?:private(?:Add|Get|Set|Method|In|Wrapper)|class(?:Private|_private)\w*|check_private_redeclaration|checkPrivateRedeclaration)\d*)\b(?:[^_]{0,16}\b(_\w*))?/;

/** The base of all task classes is not searched, because its text is long. */
const isBase = (Class: Callable): boolean => Object.hasOwn(Object(Class.prototype), TASK);

/** The name of a private member of this class's instances; undefined if they have none. Static members do not travel anyway. */
function privateMemberOf(Class: Callable): string | undefined {
  const text = Function.prototype.toString.call(Class);
  if (!MAY_BE_PRIVATE.test(text)) return undefined;
  const code = text.replace(NO_CODE, '$1 ');
  // Without its last brace, the text has one bracket that never closes: that of the class.
  let members = code.slice(0, -1);
  for (let before = ''; before !== members; members = members.replace(BRACKETS, ';')) before = members;
  for (const [, first, name, use] of members.matchAll(PRIVATE_NAME)) {
    if (first === undefined && use === undefined) return name;
  }
  // As `__privateAdd(this, _count, 0)`, or TypeScript's `_Fib_count.set(this, 0)`.
  const [, helper, member = helper] = PRIVATE_HELPER.exec(code) ?? [];
  return member ?? [...code.matchAll(/\b(_[\w$]+)\.set\b/g)].find(([, map]) => map?.startsWith(`_${Class.name}_`))?.[1];
}

const nameOf = (Class: Callable): string => Class.name || '(anonymous)';

const given = (value: unknown): string => (isFunction(value) ? nameOf(value) : show(value));

/** Tells async functions and generators by their prototypes. One that a compiler has rewritten looks like any other function. */
export function asyncOrGenerator(fn: object): string | undefined {
  const tag = tagOf(fn);
  if (tag === 'AsyncFunction') return 'an async function';
  return tag.endsWith('GeneratorFunction') ? 'a generator function' : undefined;
}

/** @param what the function is called in the message */
function refuseAsync(fn: Callable, what: string, cure: string): void {
  const kind = asyncOrGenerator(fn);
  if (kind === undefined) return;
  throw new TypeError(`furcate: ${what} is ${kind}, but the task is synchronous. For a task that awaits, ${cure}.`);
}

/** Refuses private members of a class and of the classes above it. */
function refusePrivate(Class: Callable, call: string): void {
  for (const C of classesFrom(Class.prototype)) {
    if (isBase(C) || isNative(C)) return;
    const member = privateMemberOf(C);
    if (member === undefined) continue;
    throw new TypeError(
      `furcate: ${call}: the class ${nameOf(C)} has the private member ${member}, which cannot travel to ` +
        "another thread. Make it a plain property; TypeScript's `private` keyword is fine.",
    );
  }
}

/** @throws TypeError unless another thread can make tasks of this class */
export function checkTaskClass(Class: unknown, call: string): void {
  if (!isFunction(Class)) throw new TypeError(`furcate: ${call} takes a task class; it was given ${show(Class)}.`);
  const { compute } = Object(Class.prototype) as { compute?: unknown };
  if (!isFunction(compute)) {
    throw new TypeError(
      `furcate: ${call}: the class ${nameOf(Class)} has no method compute(). ` +
        'Define it as a method: a field that holds a function does not exist before the constructor has run.',
    );
  }
  if (!(ASYNC in Class.prototype)) refuseAsync(compute, `${call}: compute()`, 'extend AsyncTask');
  refusePrivate(Class, call);
}

/** @throws TypeError unless instances of this class are made of their fields, and nothing else */
export function checkValueClass(Class: unknown, call: string): void {
  if (!isFunction(Class) || typeof Class.prototype !== 'object' || Class.prototype === null) {
    throw new TypeError(`furcate: ${call} takes a class; it was given ${show(Class)}.`);
  }
  const name = nameOf(Class);
  if (TASK in Class.prototype) {
    throw new TypeError(
      `furcate: ${call}: ${name} is a class of tasks. Add to it: static { this.register(import.meta.url, '${name}'); }`,
    );
  }
  refusePrivate(Class, call);
  const parent = [...classesFrom(Class.prototype)].find((C) => isNative(C))?.name;
  if (parent === undefined || parent === 'Object') return;
  const cure = parent.endsWith('Error')
    ? 'Use registerError(url, name, Class).'
    : `Keep a ${parent} in a field instead of extending it.`;
  throw new TypeError(`furcate: ${call}: the class ${name} extends ${parent}, which has more than fields. ${cure}`);
}

/** @throws TypeError unless it is a plain synchronous function */
export function checkFunction(fn: unknown, call: string): void {
  checkAsyncFunction(fn, call);
  refuseAsync(fn as Callable, `${call}: the function`, 'use asyncForkable()');
}

/** @throws TypeError unless it is a function; transpiled functions do not show whether they are asynchronous */
export function checkAsyncFunction(fn: unknown, call: string): void {
  const isClass = isFunction(fn) && /^class\b(?!\s*\()/.test(Function.prototype.toString.call(fn));
  if (!isFunction(fn) || isClass) {
    const what = isClass ? `the class ${given(fn)}` : show(fn);
    throw new TypeError(`furcate: ${call} takes a function; it was given ${what}.`);
  }
}

/** @throws TypeError unless it is a class of errors */
export function checkErrorClass(Class: unknown, call: string): void {
  if (isFunction(Class) && isErrorPrototype(Class.prototype)) return;
  throw new TypeError(`furcate: ${call} takes a class that extends Error; it was given ${given(Class)}.`);
}
