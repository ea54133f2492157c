// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are programs
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileSource } from '../../../../src/core/code/compile.js';
import { sourceOf } from '../../../../src/core/code/function-source.js';

/** A function as the engine sees it, without what this test's own compiler would make of it. */
const evaluate = (text: string): unknown => new Function(`return (${text}\n)`)();
const travel = (text: string): ((...args: unknown[]) => unknown) =>
  compileSource(sourceOf(evaluate(text), "parallelMap's fn")) as never;
const refusal = (text: string): string => {
  try {
    sourceOf(evaluate(text), "parallelMap's fn");
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  return 'accepted';
};

describe('a function that travels', () => {
  test.each([
    ['x => x + 1', [2], 3],
    ['(x, y = 2) => x * y', [3], 6],
    ['({ a }) => a', [{ a: 4 }], 4],
    ['([a, ...b]) => b.length + a', [[1, 2, 3]], 3],
    ['() => ({ a: 1 }).a', [], 1],
    ['(x) => { const f = (y) => y * 2; return f(x); }', [4], 8],
    ['async => async + 1', [2], 3],
    ['get => get + 1', [2], 3],
    ['function (x) { return x + 1; }', [2], 3],
    ['function named(n) { return n < 2 ? 1 : n * named(n - 1); }', [5], 120],
    ['function () { return arguments.length; }', [1, 2, 3], 3],
    ['function () { return this === undefined; }', [], true],
    ['({ f(x) { return x + 1; } }).f', [2], 3],
    ['({ "quoted name"(x) { return x + 1; } })["quoted name"]', [2], 3],
    ['({ ["comp" + "uted"](x) { return x + 1; } }).computed', [2], 3],
    ['({ 12(x) { return x + 1; } })[12]', [2], 3],
    ['({ async(x) { return x + 1; } }).async', [2], 3],
    ['({ get(x) { return x + 1; } }).get', [2], 3],
    ['({ set(x) { return x + 1; } }).set', [2], 3],
    ['({ static(x) { return x + 1; } }).static', [2], 3],
    ['({ class(x) { return x + 1; } }).class', [2], 3],
    ['({ function(x) { return x + 1; } }).function', [2], 3],
    ['({ f(x = (1, 2)) { return x + 1; } }).f', [], 3],
    ['(class { static f(x) { return x + 1; } }).f', [2], 3],
    ['(class { f(x) { return x + 1; } }).prototype.f', [2], 3],
    ['x => x /* => { */ + 1 // done', [2], 3],
    ['(x) => { class A { f() { return this.x; } x = x; } return new A().f(); }', [5], 5],
    ['(x) => { class A { x = x; y = this.x; } return new A().y; }', [5], 5],
    ['(x) => { class A extends [Array][0] { y = this.length; } return new A(x).y; }', [5], 5],
    ['(x) => [...function* () { yield typeof this + x; }()][0]', [5], 'undefined5'],
    ['(x) => { function f() { return this === undefined && arguments.length; } return f(x, x); }', [5], 2],
    ['(x) => ({ v: x, f() { return this.v; } }).f()', [5], 5],
    ['(x) => ({ v: x, get w() { return this.v; } }).w', [5], 5],
    ['(x) => ({ v: x, ["f" + 1]() { return this.v; } }).f1()', [5], 5],
    ['(x) => ({ this: x, super: 1 }).this', [5], 5],
    [
      '(x) => { class A { v = 1; f() { return this.v; } } class B extends A { f() { return super.f() + x; } } return new B().f(); }',
      [5],
      6,
    ],
    ['(x) => { const require = (a) => a; const __read = require; return __read(x); }', [5], 5],
    ['(x) => x.__awaiter + x.import', [{ __awaiter: 1, import: 2 }], 3],
    ['(x) => "__vite_ssr_import_0__ this super " + x', [1], '__vite_ssr_import_0__ this super 1'],
    ['(x) => { while (x > 2) { x--; } if (x) { return x; } switch (x) { default: } for (;;) { return 0; } }', [5], 2],
    ['(x) => { try { throw x; } catch (e) { return e; } }', [5], 5],
  ])('means the same there: %s', (text, args, result) => {
    expect(travel(text)(...args)).toEqual(result);
  });

  test('may be async where that is awaited', async () => {
    for (const text of [
      'async (x) => x + 1',
      'async function (x) { return x + 1; }',
      '({ async f(x) { return x + 1; } }).f',
    ]) {
      const there = compileSource(sourceOf(evaluate(text), 'fn', { mayAwait: true })) as (x: number) => unknown;
      expect(there(2)).toBeInstanceOf(Promise);
      expect(await there(2)).toBe(3);
    }
    expect(() => sourceOf(evaluate('function* () {}'), 'fn', { mayAwait: true })).toThrow('a generator function');
  });

  test('is strict there', () => {
    expect(() => travel('(x) => { undeclared = x; }')(1)).toThrow(ReferenceError);
    expect(() => compileSource(sourceOf(evaluate('(x) => { with (x) { return 1; } }'), 'fn'))).toThrow(SyntaxError);
  });

  test('is this test file’s own arrow, whatever the test runner made of it', () => {
    const source = sourceOf((x: number) => Math.sqrt(x) + [1, 2].map((y) => y * x).length, 'fn');
    expect((compileSource(source) as (x: number) => number)(4)).toBe(4);
  });
});

describe('a function that cannot travel is refused:', () => {
  const CURES = /Pass what it needs in `context`, or make it a forkable, forkable\(import\.meta\.url, name, fn\)/;

  test.each([
    ['async (x) => x', /it is an async function/],
    ['async x => x', /it is an async function/],
    ['async function (x) { return x; }', /it is an async function/],
    ['({ async f(x) {} }).f', /it is an async function/],
    ['function* (x) { yield x; }', /it is a generator function/],
    ['async function* () {}', /it is a generator function/],
    ['({ *f() {} }).f', /it is a generator function/],
    ['({ async *f() {} }).f', /it is a generator function/],
    ['class A { }', /it is a class; make the objects inside/],
    ['class extends Object { f(x) { return x; } }', /it is a class/],
    ['Object.getOwnPropertyDescriptor({ get x() { return 1; } }, "x").get', /it is an accessor; wrap it/],
    ['Object.getOwnPropertyDescriptor({ set x(v) {} }, "x").set', /it is an accessor/],
    ['Object.getOwnPropertyDescriptor({ get ["x"]() { return 1; } }, "x").get', /it is an accessor/],
    ['Math.sin', /built-in, bound or proxied .*wrap it: \(x\) => f\(x\)/],
    ['((x) => x).bind(null)', /built-in, bound or proxied/],
    ['new Proxy((x) => x, {})', /built-in, bound or proxied/],
    ['Object', /built-in, bound or proxied/],
    ['({ f(x) { return super.toString(); } }).f', /it uses `super`/],
    ['({ f(x = super.x) { return x; } }).f', /it uses `super`/],
    ['({ f() { return () => super.x; } }).f', /it uses `super`/],
    ['(x) => this.k * x', /an arrow function that uses `this` of what stands around it/],
    ['(x) => { if (x) { return this.k; } }', /uses `this`/],
    ['(x = this) => x', /uses `this`/],
    ['(x) => [1].map((y) => this.k)', /uses `this`/],
    ['(x) => x ? this : 1', /uses `this`/],
    ['(x) => `${x}class${x}` + { f: this }', /uses `this`/],
    ['(x) => { function f() {} return this; }', /uses `this`/],
    ['(x) => arguments[0]', /uses `arguments`/],
    ['(x) => import("node:fs")', /it uses `import`, which only works in a module/],
    ['(x) => require("node:fs")', /it uses `require`/],
    ['(x) => __vite_ssr_import_0__.sin(x)', /uses the import sin \(as __vite_ssr_import_0__\.sin\)/],
    ['(x) => (0, __vite_ssr_import_12__.default)(x)', /uses the import default/],
    ['(x) => __vi_import_0__.sin(x)', /uses the import sin/],
    ['(x) => __vite_ssr_dynamic_import__("./x.js")', /uses the import __vite_ssr_dynamic_import__/],
    ['(x) => __vite_ssr_import_meta__.url', /uses the import url/],
    ['(x) => _lib_js__WEBPACK_IMPORTED_MODULE_0__.sin(x)', /uses the import sin/],
    ['(x) => __webpack_require__(12).sin(x)', /uses the import __webpack_require__/],
    ['(x) => __TURBOPACK__imported__module__12__.sin(x)', /uses the import sin/],
    ['(x) => { __awaiter(this, 1); }', /it uses __awaiter, a helper that the compiler put.*ES2022/],
    ['function (x) { return __generator(this, 1); }', /uses __generator/],
    ['(x) => tslib_1.__read(x)', /uses tslib_1/],
    ['(x) => __spreadArray([], x, true)', /uses __spreadArray/],
    ['function (x) { _classCallCheck(this, x); }', /uses _classCallCheck/],
    ['(x) => _toConsumableArray(x)', /uses _toConsumableArray/],
    ['(x) => _objectSpread2({}, x)', /uses _objectSpread2/],
    ['(x) => _object_spread({}, x)', /uses _object_spread/],
    ['(x) => __spreadValues({}, x)', /uses __spreadValues/],
    ['(x) => __objRest(x, [])', /uses __objRest/],
  ])('%s', (text, reason) => {
    const message = refusal(text);
    expect(message).toMatch(/^furcate: parallelMap's fn cannot travel to the workers: /);
    expect(message).toMatch(reason);
    expect(message).toMatch(CURES);
  });

  test('an import that this very test runner has rewritten, by the name of the import', () => {
    expect(() => sourceOf((x: string) => join(x, 'y'), 'fn')).toThrow(/uses the import join \(as __vi\w+\.join\)/);
  });

  test('what is no function', () => {
    for (const [value, shown] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [1, '1'],
      ['sum', "'sum'"],
      [{}, 'an object'],
    ]) {
      expect(() => sourceOf(value, 'compare')).toThrow(
        new TypeError(`furcate: compare must be a function; it was ${shown}.`),
      );
    }
  });

  test('a toString of its own does not deceive', () => {
    const f = Object.assign(() => 1, { toString: () => '() => 2' });
    expect((compileSource(sourceOf(f, 'fn')) as () => number)()).toBe(1);
  });
});

describe('harmless injections', () => {
  test('__name of esbuild and tsx', () => {
    expect(travel('(x) => { const f = __name((y) => y * 2, "f"); return f(x); }')(4)).toBe(8);
    expect(travel('(x) => { const f = __name2((y) => y * 2, "f"); return f(x); }')(4)).toBe(8);
  });

  test('counters of istanbul, in all their forms', () => {
    const f = travel(`function (x) {
      cov_1a2b3c().f[0]++; cov_1a2b3c().s[1]++;
      if ((cov_1a2b3c().b[0][0]++, x > 1) && (cov_1a2b3c().b[0][1]++, true)) { cov_1a2b3c().s[2]++; }
      cov_1a2b3c().bT[0][1]++;
      return x * 2;
    }`);
    expect([f(1), f(2), f(3)]).toEqual([2, 4, 6]);
    expect(travel('(x) => { cov_9z.s[0]++; cov_9z.f[0]++; cov_9z.b[0][1]++; return x; }')(3)).toBe(3);
  });

  test('both at once, and a function that is called as often as one likes', () => {
    const f = travel('(x) => (cov_a().s[0]++, __name(() => x, "g")())');
    for (let i = 0; i < 1000; i++) expect(f(i)).toBe(i);
  });

  test('names that only look like them are the user’s', () => {
    for (const text of ['(x) => x.__name + x.cov_a', '(x) => __names(x)', '(x) => x + a__name2'])
      expect(sourceOf(evaluate(text), 'fn')).toBe(text);
  });
});
