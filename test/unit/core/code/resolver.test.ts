import { beforeEach, describe, expect, test } from 'vitest';
import { builtin, CodeRegistry, registry } from '../../../../src/core/code/registry.js';
import { CodeResolver, isFailed, MISSING, resolver, useResolver } from '../../../../src/core/code/resolver.js';
import { CodeTable } from '../../../../src/core/code/table.js';
import { PlainStorage } from '../../../../src/core/code/table-storage.js';
import { TaskRegistrationError } from '../../../../src/core/errors.js';
import { providePart } from '../../../../src/core/library/parts.js';

const URL_A = 'file:///app/a.js';
const URL_B = 'file:///app/b.js';

describe('a resolver', () => {
  let table: CodeTable;
  let codes: CodeRegistry;
  let here: CodeResolver;
  beforeEach(() => {
    table = new CodeTable(new PlainStorage());
    codes = new CodeRegistry();
    here = new CodeResolver(table, codes);
  });

  const failureOf = (id: number, of = here): string => {
    const code = of.tryResolve(id);
    return code !== MISSING && isFailed(code) ? code.failure : 'no failure';
  };

  test('gives what is registered, missing until then', () => {
    const id = table.idOf('function', URL_A, 'f');
    expect(here.tryResolve(id)).toBe(MISSING);
    expect(() => here.valueOf(id)).toThrow(TaskRegistrationError);
    const f = (): number => 1;
    const entry = codes.register('function', URL_A, 'f', f);
    expect(here.tryResolve(id)).toBe(entry);
    expect(here.valueOf(id)).toBe(f);
  });

  test('follows a registration that is replaced', async () => {
    const id = table.idOf('function', URL_A, 'f');
    codes.register('function', URL_A, 'f', () => 1);
    await undefined; // the end of an evaluation
    here.tryResolve(id);
    const after = (): number => 2;
    codes.register('function', URL_A, 'f', after);
    expect(here.valueOf(id)).toBe(after);
  });

  test('compiles a source once', () => {
    const id = table.idOf('source', '(x) => x + 1', '');
    const f = here.valueOf(id) as (x: number) => number;
    expect(f(1)).toBe(2);
    expect(here.valueOf(id)).toBe(f);
    expect(here.adoptSource('(x) => x + 1', () => 0)).toBe(id);
    expect(here.valueOf(id)).toBe(f);
  });

  test('gives field names as they are', () => {
    const code = here.tryResolve(table.idOf('shape', '', '["n"]'));
    expect(code).toMatchObject({ kind: 'shape', name: '["n"]' });
  });

  test('fails where the source does not compile, and does not throw', () => {
    const id = table.idOf('source', '(x) => >x', '');
    expect(failureOf(id)).toMatch(/^Unexpected token/);
    expect(() => here.valueOf(id)).toThrow(TaskRegistrationError);
  });

  test('lacks what is missing, and what could not be loaded for another invocation', () => {
    const id = table.idOf('function', URL_A, 'f');
    expect(here.lacks(id, 1)).toBe(true);
    here.fail(id, 'cannot be imported', 1);
    here.fail(id, 'nor now', 2);
    expect([1, 2, 3].map((invocation) => here.lacks(id, invocation))).toEqual([false, false, true]);
    expect(failureOf(id)).toBe('nor now');
    expect(here.recovers(id)).toBe(false);
    codes.register('function', URL_A, 'f', () => 1);
    expect(here.recovers(id)).toBe(true);
    expect(here.lacks(id, 3)).toBe(false);
    expect(failureOf(id)).toBe('no failure');
  });

  test('remembers a failure for some invocations, not for all that there ever were', () => {
    const id = table.idOf('function', URL_A, 'f');
    for (let invocation = 1; invocation <= 65; invocation++) here.fail(id, 'no', invocation);
    expect([here.lacks(id, 1), here.lacks(id, 65)]).toEqual([true, false]);
  });

  test('knows nothing of failures of other threads', () => {
    const id = table.idOf('function', URL_A, 'f');
    const there = new CodeResolver(table, new CodeRegistry());
    there.fail(id, 'cannot be imported', 1);
    expect(here.tryResolve(id)).toBe(MISSING);
  });

  test('fails for a number that is no entry, without remembering it', () => {
    expect(failureOf(0)).toContain('no entry 0');
    expect(failureOf(-1)).toContain('no entry -1');
    table.idOf('shape', '', 'a');
    expect(failureOf(0)).toBe('no failure');
  });

  test('does not go looking for a built-in that this copy lacks', () => {
    expect(failureOf(table.idOf('function', 'furcate:', 'newer'))).toContain("has no 'newer'");
  });

  test('evaluates the part of the library that a built-in is of, once, when it is first asked for', () => {
    const leaf = (): number => 1;
    let evaluations = 0;
    const make = (): object => {
      evaluations++;
      builtin('leaf of a part', leaf);
      return {};
    };
    providePart('resolved', () => ({ path: 'resolved.js', text: '', make: make as never }));
    const realm = new CodeResolver(table, registry);
    const id = table.idOf('function', 'furcate:resolved', 'leaf of a part');
    expect(evaluations).toBe(0);
    expect(realm.valueOf(id)).toBe(leaf);
    expect(realm.tryResolve(table.idOf('function', 'furcate:resolved', 'no leaf'))).toMatchObject({
      failure: expect.stringContaining("has no 'no leaf'"),
    });
    expect(evaluations).toBe(1);
  });

  test('fails where the part of a built-in is not to be had', () => {
    expect(failureOf(table.idOf('function', 'furcate:nowhere', 'leaf'))).toContain("part 'nowhere'");
  });

  test('takes no function of the same name for a built-in, even where it goes by names', () => {
    codes.register('function', URL_A, 'stage', () => 1);
    const byName = new CodeResolver(table, codes, { byName: true });
    expect(failureOf(table.idOf('function', 'furcate:', 'stage'), byName)).toContain("has no 'stage'");
  });

  test('goes by the name alone where told to, and fails where that is ambiguous', () => {
    const byName = new CodeResolver(table, codes, { byName: true });
    const id = table.idOf('function', 'file:///build/machine/a.ts', 'f');
    expect(byName.tryResolve(id)).toBe(MISSING);
    const entry = codes.register('function', URL_A, 'f', () => 1);
    expect(here.tryResolve(id)).toBe(MISSING);
    expect(byName.tryResolve(id)).toBe(entry);
    const other = table.idOf('function', 'file:///build/machine/b.ts', 'f');
    codes.register('function', URL_B, 'f', () => 1);
    expect(failureOf(other, byName)).toContain(`${URL_A} and ${URL_B}`);
    const exact = table.idOf('function', URL_B, 'f');
    expect(byName.tryResolve(exact)).toMatchObject({ url: URL_B });
  });
});

test('this realm has one resolver, which can be replaced', () => {
  const usual = resolver();
  expect(resolver()).toBe(usual);
  const own = new CodeResolver(new CodeTable(new PlainStorage()), new CodeRegistry());
  useResolver(own);
  expect(resolver()).toBe(own);
  useResolver(undefined);
});
