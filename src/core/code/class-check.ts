/**
 * What a class or function must look like to be registered; runs on every thread, once a registration.
 *
 * `#private` members are refused here and not when a task is first stolen: another thread makes the task without running
 * its constructor (`Reflect.construct` of the base), so the members would not be there, and only sometimes. They show
 * in the class's source text alone, as do the helpers that compilers make of them.
 */
import { type Token, tokensOf } from './tokens.js';

// biome-ignore lint/complexity/noBannedTypes: what typeof calls a function, before anything else is known
type Callable = Function;

/** What stands before the name of a class member. */
const MODIFIERS = new Set(['static', 'get', 'set', 'async', 'accessor', '*']);
/** Helpers of TypeScript, esbuild, Babel and SWC for private members, whatever their version writes after the stem. */
const PRIVATE_HELPER =
  /^_{1,2}(private(Add|Get|Set|Method|In|Wrapper)|class(Private|_private)\w*|check_private_redeclaration|checkPrivateRedeclaration)\d*$/;
/** What is in every text that has a private member, and few others. */
const MAY_BE_PRIVATE = /#|_(private|class(Private|_private)|check_?private)/i;

const clean = new WeakSet<object>();

/** The base of all task classes, which has this of its own, needs no look: its comments alone would cost 1.5 ms. */
const TASK = Symbol.for('furcate.task');
const isBase = (Class: Callable): boolean => Object.hasOwn(Object(Class.prototype), TASK);

/** The name of a private member that instances of this class have; undefined for none. Static ones stay behind anyway. */
function privateMemberOf(Class: Callable): string | undefined {
  const text = Function.prototype.toString.call(Class);
  if (!MAY_BE_PRIVATE.test(text) && !text.includes(`_${Class.name}_`)) return undefined; // tokens take 1.5 ms in a cold thread
  const tokens = tokensOf(text);
  return declaredPrivate(tokens) ?? compiledPrivate(tokens, Class.name);
}

function declaredPrivate(tokens: readonly Token[]): string | undefined {
  let i = tokens.findIndex(({ text }) => text === 'class');
  if (i < 0) return undefined; // compiled to a function
  while (i < tokens.length && (tokens[i] as Token).text !== '{') i = after(tokens, i);
  const end = tokens[i]?.partner ?? -1;
  for (i++; i < end; i = after(tokens, i)) {
    const token = tokens[i] as Token;
    if (token.kind !== 'private' || isUse(tokens, i)) continue;
    let first = i;
    while (MODIFIERS.has((tokens[first - 1] as Token).text)) first--;
    if ((tokens[first] as Token).text !== 'static') return token.text;
  }
  return undefined;
}

/** The token after this one, or after the bracket that it opens. */
const after = (tokens: readonly Token[], i: number): number => Math.max(i, (tokens[i] as Token).partner) + 1;

const isUse = (tokens: readonly Token[], i: number): boolean =>
  ['.', '?.'].includes((tokens[i - 1] as Token).text) || tokens[i + 1]?.text === 'in';

/** As `__privateAdd(this, _count, 0)`, or TypeScript's `_Fib_count.set(this, 0)`. */
function compiledPrivate(tokens: readonly Token[], className: string): string | undefined {
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue;
    if (PRIVATE_HELPER.test(text)) return tokens.slice(i + 1, i + 6).find((t) => t.text.startsWith('_'))?.text ?? text;
    if (className !== '' && text.startsWith(`_${className}_`) && tokens[i + 2]?.text === 'set') return text;
  }
  return undefined;
}

const isFunction = (value: unknown): value is Callable => typeof value === 'function';

const shown = (value: unknown): string => (value === null ? 'null' : typeof value);

/** Async functions and generators by their own kind of prototype; what a compiler made of them looks like any other. */
export function asyncOrGenerator(fn: object): string | undefined {
  const tag = (fn as { readonly [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (tag === 'AsyncFunction') return 'an async function';
  if (tag === 'GeneratorFunction' || tag === 'AsyncGeneratorFunction') return 'a generator function';
  return undefined;
}

/** @throws TypeError unless another thread can make tasks of this class */
export function checkTaskClass(Class: unknown, call: string): void {
  if (!isFunction(Class)) throw new TypeError(`furcate: ${call} takes a task class; it was given ${shown(Class)}.`);
  const prototype: { compute?: unknown } | undefined = Class.prototype;
  const compute = prototype?.compute;
  if (!isFunction(compute)) {
    throw new TypeError(
      `furcate: ${call}: the class ${Class.name || '(anonymous)'} has no method compute(). ` +
        'Define it as a method: a field that holds a function does not exist before the constructor has run.',
    );
  }
  const kind = asyncOrGenerator(compute);
  if (kind !== undefined) {
    throw new TypeError(
      `furcate: ${call}: compute() is ${kind}. Tasks are synchronous: await before pool.invoke() or after it.`,
    );
  }
  for (let C: unknown = Class; isFunction(C) && C !== Function.prototype && !isBase(C); C = Object.getPrototypeOf(C)) {
    refusePrivate(C, call);
  }
}

function refusePrivate(Class: Callable, call: string): void {
  if (clean.has(Class)) return;
  const member = privateMemberOf(Class);
  if (member !== undefined) {
    throw new TypeError(
      `furcate: ${call}: the class ${Class.name || '(anonymous)'} has the private member ${member}, which cannot travel to ` +
        "another thread. Make it a plain property; TypeScript's `private` keyword is fine.",
    );
  }
  clean.add(Class);
}

const isNative = (fn: Callable): boolean => /\[native code\]\s*\}$/.test(Function.prototype.toString.call(fn));

/** The classes of a class's instances, from the class itself up; those of the language too. */
function* classesOf(Class: Callable): Generator<Callable> {
  for (let p: unknown = Class.prototype; typeof p === 'object' && p !== null; p = Object.getPrototypeOf(p)) {
    const owner: unknown = Object.hasOwn(p, 'constructor') ? p.constructor : undefined;
    if (isFunction(owner)) yield owner;
  }
}

/** @throws TypeError unless instances of this class are made of their fields, and nothing else */
export function checkValueClass(Class: unknown, call: string): void {
  if (!isFunction(Class) || typeof Class.prototype !== 'object' || Class.prototype === null) {
    throw new TypeError(
      `furcate: ${call} takes a class; it was given ${isFunction(Class) ? 'a function' : shown(Class)}.`,
    );
  }
  const name = Class.name || '(anonymous)';
  if (TASK in Class.prototype) {
    throw new TypeError(
      `furcate: ${call}: ${name} is a class of tasks. Add to it: static { this.register(import.meta.url, '${name}'); }`,
    );
  }
  for (const C of classesOf(Class)) {
    if (!isNative(C)) {
      refusePrivate(C, call);
      continue;
    }
    if (C.name === 'Object') continue;
    const cure = /Error$/.test(C.name)
      ? 'Use registerError(url, name, Class).'
      : `Keep a ${C.name} in a field instead of extending it.`;
    throw new TypeError(`furcate: ${call}: the class ${name} extends ${C.name}, which has more than fields. ${cure}`);
  }
}

/** @throws TypeError unless it is a plain synchronous function */
export function checkFunction(fn: unknown, call: string): void {
  if (!isFunction(fn)) throw new TypeError(`furcate: ${call} takes a function; it was given ${shown(fn)}.`);
  if (/^class\b(?!\s*\()/.test(Function.prototype.toString.call(fn))) {
    throw new TypeError(`furcate: ${call} takes a function; it was given the class ${fn.name || '(anonymous)'}.`);
  }
  const kind = asyncOrGenerator(fn);
  if (kind !== undefined) {
    throw new TypeError(
      `furcate: ${call}: the function is ${kind}. Tasks are synchronous: await before pool.invoke() or after it.`,
    );
  }
}

/** @throws TypeError unless it is a class of errors */
export function checkErrorClass(Class: unknown, call: string): void {
  const prototype: unknown = isFunction(Class) ? Class.prototype : undefined;
  for (let p: unknown = prototype; typeof p === 'object' && p !== null; p = Object.getPrototypeOf(p)) {
    if (Object.hasOwn(p, 'constructor') && (p.constructor as Callable).name === 'Error') return;
  }
  throw new TypeError(
    `furcate: ${call} takes a class that extends Error; it was given ${isFunction(Class) ? Class.name || 'a function' : shown(Class)}.`,
  );
}
