import { beforeEach, describe, expect, test } from 'vitest';
import { placeOf } from '../../../../src/core/code/module-url.js';
import {
  builtin,
  CodeRegistry,
  FORKABLE,
  forkableOf,
  nearestRegistrationOf,
  register,
  registerError,
  registrationOf,
  registry,
} from '../../../../src/core/code/registry.js';
import { TaskRegistrationError } from '../../../../src/core/errors.js';

const URL_A = 'file:///app/a.js';
const URL_B = 'file:///app/b.js';

class Task {
  n = 1;
  compute(): number {
    return this.n;
  }
}

describe('a registry', () => {
  let codes: CodeRegistry;
  beforeEach(() => {
    codes = new CodeRegistry();
  });

  test('finds what was registered by kind, URL and name', () => {
    const f = (): number => 1;
    const entry = codes.register('function', URL_A, 'f', f);
    expect(entry).toMatchObject({ kind: 'function', url: URL_A, name: 'f', index: 0, value: f });
    expect(codes.byKey('function', URL_A, 'f')).toBe(entry);
    expect(codes.byKey('function', URL_B, 'f')).toBeUndefined();
    expect(codes.byKey('function', URL_A, 'g')).toBeUndefined();
    expect(codes.byKey('class', URL_A, 'f')).toBeUndefined();
  });

  test('takes __filename for the same module as its URL', () => {
    const entry = codes.register('function', '/app/~x y.js', 'f', () => 1);
    expect(placeOf(entry.url)).toBe('file:///app/~x%20y.js');
    expect(codes.byKey('function', 'file:///app/%7Ex%20y.js', 'f')).toBe(entry);
  });

  test('numbers functions without gaps, whatever else is registered', () => {
    const indices = [
      codes.register('function', URL_A, 'f', () => 1),
      codes.register('class', URL_A, 'Task', class extends Task {}),
      codes.register('function', URL_A, 'g', () => 1),
      codes.register('error', URL_A, 'E', class E extends Error {}),
    ]
      .filter(({ kind }) => kind === 'function')
      .map(({ index }) => index);
    expect(indices).toEqual([0, 1]);
    expect(codes.functionEntries.map(({ name }) => name)).toEqual(['f', 'g']);
  });

  test('replaces the value behind the same entry when a module is evaluated again', async () => {
    const before = (): number => 1;
    const after = (): number => 2;
    const entry = codes.register('function', URL_A, 'f', before);
    await undefined; // the end of an evaluation
    expect(codes.register('function', URL_A, 'f', after)).toBe(entry);
    expect(entry.value).toBe(after);
    expect(codes.functions).toEqual([after]);
    expect([before, after].map((f) => (f as { [FORKABLE]?: number })[FORKABLE])).toEqual([0, 0]);
    expect(codes.entries).toHaveLength(1);
  });

  test('finds by the name alone, and names both modules where that is ambiguous', () => {
    const entry = codes.register('function', URL_A, 'f', () => 1);
    codes.register('class', URL_B, 'f', class extends Task {});
    expect(codes.byNameOnly('function', 'f')).toBe(entry);
    expect(codes.byNameOnly('function', 'g')).toBeUndefined();
    codes.register('function', URL_B, 'f', () => 1);
    const find = (): unknown => codes.byNameOnly('function', 'f');
    expect(find).toThrow(TaskRegistrationError);
    expect(find).toThrow(`${URL_A} and ${URL_B}`);
  });

  test('refuses a second thing of one kind and name in one evaluation of a module, and names both', async () => {
    const twice = (x: number): number => 2 * x;
    const kinds = [
      ['function', twice, (x: number) => 3 * x],
      ['async function', async () => 1, async () => 2],
      ['class', class A extends Task {}, class B extends Task {}],
      ['error', class A extends Error {}, class B extends Error {}],
      ['value class', class C {}, class D {}],
    ] as const;
    const register = (kind: (typeof kinds)[number][0], value: unknown): unknown =>
      codes.register(kind, URL_A, 'f', value as typeof twice);
    for (const [kind, first, second] of kinds) {
      const entry = register(kind, first);
      register('function', twice); // something else of that name
      expect(() => register(kind, second)).toThrow(
        /^furcate: \w+\(url, 'f'\): the module registers two things as 'f', .+ and .+\. Give each a name of its own\.$/,
      );
      expect(codes.byKey(kind, URL_A, 'f')).toMatchObject({ value: first });
      expect(register(kind, first)).toBe(entry);
      codes.register(kind, URL_B, 'f', second as typeof twice);
      codes.register(kind, `${URL_A}?again`, 'f', second as typeof twice);
    }
    expect(() => register('function', (x: number) => x + 1)).toThrow(/'f', .*2 \* x and .*x \+ 1\./);
    await undefined;
    for (const [kind, , second] of kinds) expect(register(kind, second)).toMatchObject({ value: second });
  });

  test('takes a module that is evaluated again at once, as after a reset of `require`, by its texts', () => {
    const evaluate = (): (() => number) => () => 1;
    const entry = codes.register('function', URL_A, 'f', evaluate());
    const again = evaluate();
    expect(codes.register('function', URL_A, 'f', again)).toBe(entry);
    expect(entry.value).toBe(again);
  });

  test('lists its keys in the order in which they came', async () => {
    codes.register('function', URL_A, 'f', () => 1);
    codes.register('function', URL_B, 'g', () => 1);
    await undefined;
    codes.register('function', URL_A, 'f', () => 2);
    codes.register('function', URL_A, 'h', () => 1);
    expect(codes.entries.map(({ url, name }) => [url, name])).toEqual([
      [URL_A, 'f'],
      [URL_B, 'g'],
      [URL_A, 'h'],
    ]);
  });

  test('refuses a bad name or URL, naming the call', () => {
    for (const name of ['', undefined, 1, null]) {
      expect(() => codes.register('class', URL_A, name as string, Task)).toThrow(/register\(url, name\) takes a name/);
    }
    expect(() => codes.register('function', null as never, 'f', () => 1)).toThrow(
      /forkable\(url, 'f'\).*null.*__filename/s,
    );
    expect(() => codes.register('error', 'x.js', 'E', Error)).toThrow(/registerError\(url, 'E'\)/);
    expect(() => codes.register('class', URL_A, 'Task', (() => 1) as never)).toThrow(/no method compute/);
    expect(() => codes.register('function', URL_A, 'f', (async () => 1) as never)).toThrow(/async/);
    expect(codes.entries.length).toBe(0);
  });

  test('refuses a frozen function with its reason', () => {
    expect(() =>
      codes.register(
        'function',
        URL_A,
        'f',
        Object.freeze(() => 1),
      ),
    ).toThrow(/frozen/);
  });
});

describe('this realm', () => {
  test('hangs the index on a function, out of sight', () => {
    const f = (): number => 1;
    const { index } = register('function', URL_A, 'out of sight', f);
    expect((f as { [FORKABLE]?: number })[FORKABLE]).toBe(index);
    expect(Object.keys(f)).toEqual([]);
    expect(JSON.stringify({ ...f })).toBe('{}');
    expect(forkableOf(f)?.name).toBe('out of sight');
    expect(registry.functions[index]).toBe(f);
    for (const value of [() => 1, {}, null, 3, Task]) expect(forkableOf(value)).toBeUndefined();
  });

  test('knows its built-in functions under a URL of their own', () => {
    const leaf = (a: number): number => a;
    expect(builtin('test leaf', leaf)).toBe(leaf);
    expect(forkableOf(leaf)).toMatchObject({ url: 'furcate:', name: 'test leaf' });
  });

  test('finds the entry of a task', () => {
    class Fib extends Task {}
    const entry = register('class', URL_A, 'Fib', Fib);
    expect(registrationOf(new Fib())).toBe(entry);
  });

  test('follows a class that was registered again, from old and new tasks alike', () => {
    const make = (): typeof Task => class Reloaded extends Task {};
    const [Old, New] = [make(), make()];
    const entry = register('class', URL_A, 'Reloaded', Old);
    const old = new Old();
    register('class', URL_A, 'Reloaded', New);
    expect(registrationOf(old)).toBe(entry);
    expect(registrationOf(new New())).toBe(entry);
    expect(entry.value).toBe(New);
  });

  test('tells a class that forgot to register, and does not take it for its parent', () => {
    class Sum extends Task {}
    const lookUp = (task: object) => (): unknown => registrationOf(task);
    expect(lookUp(new Sum())).toThrow(TaskRegistrationError);
    expect(lookUp(new Sum())).toThrow(
      "the class Sum is not registered. Add to it: static { this.register(import.meta.url, 'Sum'); }",
    );
    register('class', URL_A, 'Sum', Sum);
    class Special extends Sum {}
    expect(lookUp(new Special())).toThrow(
      /class Special is not registered\. Its parent Sum is; a subclass needs its own/,
    );
    expect(lookUp(Object.create(null))).toThrow(TaskRegistrationError);
  });

  test('finds the nearest registered class of an error', () => {
    class ParseError extends Error {}
    class LineError extends ParseError {}
    registerError(URL_A, 'ParseError', ParseError);
    expect(nearestRegistrationOf(new LineError())).toMatchObject({ kind: 'error', name: 'ParseError' });
    expect(nearestRegistrationOf(new Error('x'))).toBeUndefined();
  });
});

test("the library's own names are no names of the user's", () => {
  const codes = new CodeRegistry();
  const own = (): number => 1;
  const users = (): number => 2;
  codes.enter('function', 'furcate:core', 'report', own);
  expect(codes.byNameOnly('function', 'report')).toBeUndefined();
  const entry = codes.register('function', 'file:///a.mjs', 'report', users);
  expect(codes.byNameOnly('function', 'report')).toBe(entry);
  expect(codes.byKey('function', 'furcate:core', 'report')?.value).toBe(own);
});
