import fc from 'fast-check';
import { type ForkJoinTask, RecursiveTask, SequentialExecutor, sharedArray, TaskRegistrationError } from 'furcate';
import { describe, expect, test } from 'vitest';
import { executors, fixture, type Scenario } from '../helpers/executors.js';

interface Failing extends Record<string, unknown> {
  readonly ParseError: new (message: string, line: number) => Error;
  readonly Thrower: new (kind: string) => ForkJoinTask<never>;
  readonly Promising: new () => ForkJoinTask<unknown>;
  readonly Forgotten: new () => ForkJoinTask<string>;
}

const failing = await fixture<Failing>('failing.mjs');
const words = (length = 8): Int32Array => sharedArray(Int32Array, length);

describe.each(executors())('$name:', (executor) => {
  const run = (name: string, ...args: unknown[]): Promise<unknown> => executor.run(failing[name] as Scenario, ...args);

  test('what a body throws comes out of every join above it with class, message and stack', async () => {
    const kinds = { type: TypeError, range: RangeError, own: failing.ParseError, aggregate: AggregateError };
    for (const [kind, Class] of Object.entries(kinds)) {
      for (const form of ['class', 'function']) {
        const error = await run('passesOn', kind, form).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Class);
        expect(Object.prototype.toString.call(error)).toBe('[object Error]');
        expect((error as Error).stack).toMatch(/failing\.mjs/);
      }
    }
  });

  test('an error keeps its own properties and its cause', async () => {
    const error = await run('passesOn', 'own', 'function').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'ParseError',
      message: 'unexpected }',
      line: 12,
      column: 7,
      tags: ['a', { b: 1n }],
    });
    const { cause } = error as Error;
    expect(cause).toBeInstanceOf(SyntaxError);
    expect((cause as Error).message).toBe('deep');
    const several = (await run('passesOn', 'aggregate', 'class').catch((thrown: unknown) => thrown)) as AggregateError;
    expect(several.errors).toEqual([new TypeError('one'), 2]);
  });

  test('a task that catches sees the same error that it would see had nobody stolen', async () => {
    for (const form of ['class', 'function']) {
      expect(await run('seen', form)).toEqual({
        isItsClass: true,
        isAnError: true,
        line: 12,
        column: 7,
        tags: ['a', { b: 1n }],
        cause: 'SyntaxError: deep',
        stack: true,
      });
    }
  });

  test('an error of an unregistered class comes as its built-in base', async () => {
    const error = await run('passesOn', 'unregistered', 'class').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect((error as Error).message).toBe('whose class nobody knows');
  });

  test('what is thrown need not be an error', async () => {
    await expect(run('passesOn', 'text', 'class')).rejects.toBe('just text');
    await expect(run('passesOn', 'nothing', 'function')).rejects.toBe(undefined);
    for (const form of ['class', 'function']) {
      await expect(run('passesOn', 'number', form)).rejects.toBe(5);
      await expect(run('passesOn', 'numbers', form)).rejects.toEqual([1, 2]);
    }
    await expect(run('passesOn', 'object', 'class')).rejects.toEqual({ code: 5 });
  });

  test('children that nobody joins are completed before their parent is', async () => {
    const seen = words(40);
    expect(await run('leaves', seen, 'gG'.repeat(20))).toBe('returned');
    expect(Array.from(seen)).toEqual(Array(40).fill(1));
  });

  test('the first failure of unjoined children, in fork order, surfaces; the others run nevertheless', async () => {
    const letters = fc.array(fc.constantFrom('g', 'G', 'f', 'F'), { maxLength: 12 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(letters, async (text) => {
        const seen = words(12);
        const outcome = await run('leaves', seen, text).catch((error: Error) => error.message);
        const first = text.search(/f/i);
        expect(outcome).toBe(first < 0 ? 'returned' : `mark ${first}`);
        expect(Array.from(seen).slice(0, text.length)).toEqual(Array(text.length).fill(1));
      }),
      { numRuns: executor.cold ? 5 : 25 },
    );
  });

  test('the failure of a child that was asked how it ended does not surface by itself', async () => {
    for (const how of ['join', 'quietlyJoin', 'getException', 'isCompletedAbnormally']) {
      await expect(run('observes', words(), how)).rejects.toThrow('mark 1');
    }
    await expect(run('observes', words(), 'nothing')).rejects.toThrow('mark 0');
  });

  test('a body that throws wins over its children, of which each ran once or not at all', async () => {
    const seen = words(12);
    await expect(run('leavesAndThrows', seen, 'gFfGgFfGgFfG')).rejects.toThrow('the body');
    for (const runs of seen) expect([0, 1]).toContain(runs);
    const later = Array.from(seen);
    await run('leaves', words(), 'gG');
    expect(Array.from(seen)).toEqual(later);
  });

  test('a failed body starts nothing any more and waits for what runs', async () => {
    for (const form of ['class', 'function']) {
      const seen = words();
      const waits = executor.steals;
      const outcome = (await run('catches', seen, waits, form)) as {
        outcome: string;
        then: number[];
        later: number[];
        queued: number;
      };
      expect(outcome.outcome).toBe('Error: above');
      expect(outcome.later).toEqual(outcome.then);
      expect(outcome.queued).toBe(0);
      const [started, , writes, finished] = outcome.then;
      expect(finished).toBe(started);
      expect(writes).toBe(started === 1 ? 200_000 : 0);
      if (waits) expect(started).toBe(1);
      else if (!executor.checked) expect(outcome.then[4]).toBe(0);
      expect(Array.from(seen)).toEqual(outcome.later);
    }
  });

  test('a body that returns a promise is an error that names the cure', async () => {
    const messages = (await run('joinsPromises')) as string[];
    for (const message of messages) {
      expect(message).toMatch(/^TypeError: furcate: (Promising|thenable) returned a promise.*await before/);
    }
    await expect(executor.run(new failing.Promising())).rejects.toThrow(/Promising returned a promise/);
  });

  test('a subclass that forgot to register is an error, and never its parent', async () => {
    const [sibling, forgotten] = (await run('forksForgotten')) as [string, string];
    expect(sibling).toBe('parent');
    if (executor.checked)
      expect(forgotten).toMatch(/^TaskRegistrationError: .*Forgotten is not registered.*Its parent Registered is/);
    else expect(forgotten).not.toBe('parent');
  });
});

test('an unregistered class is refused at the call, by whatever pool', async () => {
  for (const executor of executors().filter(({ name }) => name.startsWith('invoke'))) {
    const error = await executor.run(new failing.Forgotten()).catch((thrown: unknown) => thrown);
    expect(TaskRegistrationError.is(error)).toBe(true);
    expect(error).toBeInstanceOf(TaskRegistrationError);
  }
});

test('private members are refused at registration', () => {
  class Secretive extends RecursiveTask<number> {
    #secret = 1;
    compute(): number {
      return this.#secret;
    }
  }
  expect(() => Secretive.register(import.meta.url, 'Secretive')).toThrow(/private member #?_?_?secret/);
  expect(new SequentialExecutor().invokeSync(new Secretive())).toBe(1);
});
