// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are programs
import { describe, expect, test } from 'vitest';
import { checkErrorClass, checkFunction, checkTaskClass } from '../../../../src/core/code/class-check.js';

/** A class as the engine sees it, without what this test's own compiler would make of it. */
const classOf = (text: string, scope: Record<string, unknown> = {}): unknown =>
  new Function(...Object.keys(scope), `return (${text})`)(...Object.values(scope));
const check = (text: string, scope?: Record<string, unknown>): void =>
  checkTaskClass(classOf(text, scope), "register(url, 'Fib')");

describe('a task class', () => {
  test.each([
    'class Fib { compute() { return 1; } }',
    'class Fib { n = 1; static count = 0; get x() { return this.n; } compute() {} }',
    'class Fib { compute() { return "#not" + `#private ${"#"}` + /#x/.source;/* #no */ // #no\n } }',
    `class Fib { compute() { return "it's" + /['"#(]/.source; /* don't { #n = 1; */ } }`,
    'class Fib { a = 4; b = 2; compute() { return this.a / this.b / 2 + `${`#n`} #n = 1; ${"}"}`; } }',
    'class Fib { compute() { class Inner { #x = 1; get() { return this.#x; } } return new Inner().get(); } }',
    'class Fib { static #cache = new Map(); static get #size() { return 1; } compute() { return Fib.#cache; } }',
    'class Fib { static async *#steps() {} compute() {} }',
    'class Fib { static has(x) { return #seen in x; } static #seen = 1; compute() {} }',
    'class Fib { _private = 1; __x = 2; compute() { return this._private; } }',
    'class extends Object { compute() {} }',
    'function Fib() {}',
  ])('is accepted: %s', (text) => {
    expect(() => check(`(() => { const C = ${text}; C.prototype.compute ??= () => 1; return C; })()`)).not.toThrow();
  });

  test.each([
    ['class Fib { #n = 1; compute() { return this.#n; } }', '#n'],
    ['class Fib { #n; compute() {} }', '#n'],
    ['class Fib { a = 1; #step() {} compute() { this.#step(); } }', '#step'],
    ['class Fib { get #x() { return 1; } compute() {} }', '#x'],
    ['class Fib { async *#x() {} compute() {} }', '#x'],
    ['class Fib { static #fine = 1; static b = Fib.#fine; #n = 2; compute() {} }', '#n'],
    ['class Fib extends class { #inner = 1 } { compute() {} }', '#inner'],
    ['class Fib extends f({ a: 1 }) { #n = 1; compute() {} }', '#n'],
    ["class Fib { /* a/b isn't */ x = /[/'\"]/; #n = 1; compute() {} }", '#n'],
    ['class Fib { static { Fib.x = 1; } #n = 1; static #fine; compute() {} }', '#n'],
    ['class Fib { ["a" + 1] = 2; #n = 1; compute() {} }', '#n'],
  ])('with a private member of its instances is refused: %s', (text, member) => {
    const make = (): void => check(text, { f: () => Object });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`register\\(url, 'Fib'\\).*${member}.*plain property`));
  });

  test('is not looked at beyond the base of all tasks, whose text is no business of its own', () => {
    class Base {
      #secret = 1;
      compute() {
        return this.#secret;
      }
    }
    Object.defineProperty(Base.prototype, Symbol.for('furcate.task'), { value: true });
    expect(() => checkTaskClass(class Fib extends Base {}, 'register()')).not.toThrow();
  });

  test('is refused for the private member of a parent', () => {
    const Parent = classOf('class Parent { #secret = 1; compute() {} }');
    expect(() => check('class Fib extends Parent {}', { Parent })).toThrow(
      /class Parent has the private member #secret/,
    );
  });

  test.each([
    ['class Fib { constructor() { __privateAdd(this, _n, 1); } compute() { return __privateGet(this, _n); } }', '_n'],
    ['class Fib { constructor() { __privateAdd(this, _Fib_instances); } compute() {} }', '_Fib_instances'],
    ['class Fib { constructor() { _Fib_n.set(this, void 0); } compute() {} }', '_Fib_n'],
    ['class Fib { compute() { return __classPrivateFieldGet(this, _Fib_n, "f"); } }', '_Fib_n'],
    ['class Fib { constructor() { _classPrivateFieldInitSpec(this, _n, 1); } compute() {} }', '_n'],
    ['class Fib { constructor() { _class_private_field_init(this, _n, {}); } compute() {} }', '_n'],
    ['class Fib { compute() { return _classPrivateFieldGet2(_n, this); } }', '_n'],
    ['class Fib { compute() { return _class_private_method_get(this, _step, step); } }', '_step'],
  ])('with a private member that a compiler took apart is refused: %s', (text, member) => {
    expect(() => check(text)).toThrow(new RegExp(`the private member ${member}, which cannot travel`));
  });

  test('with weak maps of the user is no such class', () => {
    expect(() => check('class Fib { compute() { _cache.set(this, 1); fib_map.set(this, 2); } }')).not.toThrow();
  });

  test('without compute is refused, and a field is no method', () => {
    expect(() => check('class Fib {}')).toThrow(/class Fib has no method compute\(\)/);
    expect(() => check('class Fib { compute = () => 1; }')).toThrow(/a field that holds a function/);
    for (const value of [null, undefined, {}, 'Fib'])
      expect(() => checkTaskClass(value, 'x')).toThrow(/takes a task class/);
    expect(() => checkTaskClass(() => 1, 'x')).toThrow(/no method compute/);
  });

  test.each([
    ['async compute() {}', 'an async function'],
    ['*compute() {}', 'a generator function'],
    ['async *compute() {}', 'a generator function'],
  ])('with %s is refused', (member, what) => {
    expect(() => check(`class Fib { ${member} }`)).toThrow(new RegExp(`compute\\(\\) is ${what}.*synchronous`));
  });
});

describe('a forkable function', () => {
  test('is any synchronous function', () => {
    expect(() => checkFunction(() => 1, 'x')).not.toThrow();
    expect(() => checkFunction(function f() {}, 'x')).not.toThrow();
    expect(() => checkFunction({ class() {} }.class, 'x')).not.toThrow();
    expect(() => checkFunction(Math.sin, 'x')).not.toThrow();
  });

  test('is not asynchronous, no generator, no class and nothing else', () => {
    expect(() => checkFunction(async () => 1, "forkable(url, 'f')")).toThrow(/forkable\(url, 'f'\).*an async function/);
    expect(() => checkFunction(function* () {}, 'x')).toThrow(/a generator function/);
    expect(() => checkFunction(class Fib {}, 'x')).toThrow(/it was given the class Fib/);
    expect(() => checkFunction(class {}, 'x')).toThrow(/the class \(anonymous\)/);
    expect(() => checkFunction(null, 'x')).toThrow(/takes a function; it was given null/);
    expect(() => checkFunction({}, 'x')).toThrow(/it was given an object/);
  });
});

describe('an error class', () => {
  test('extends Error, over any number of steps', () => {
    class Own extends Error {}
    class Deep extends class extends TypeError {} {}
    for (const C of [Error, RangeError, AggregateError, Own, Deep]) expect(() => checkErrorClass(C, 'x')).not.toThrow();
  });

  test('is nothing else', () => {
    class Other {}
    for (const value of [Other, () => 1, null, {}, 'Error']) {
      expect(() => checkErrorClass(value, "registerError(url, 'E')")).toThrow(
        /registerError\(url, 'E'\).*extends Error/,
      );
    }
  });
});
