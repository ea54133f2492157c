/** Tasks and outcomes as bytes: what comes out is what went in, in this process and in another, whose modules and code table are its own. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { registerError } from '../../../../src/core/code/registry.js';
import { registerClass } from '../../../../src/core/code/value-class.js';
import { NotShareableError, TaskRegistrationError } from '../../../../src/core/errors.js';
import { free, isShared, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { SequentialExecutor } from '../../../../src/core/pool/sequential-executor.js';
import { type ForkJoinTask, RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { forkable } from '../../../../src/core/task/function-task.js';
import { task as callTask } from '../../../../src/core/task/task.js';
import {
  packOutcome,
  packTask,
  packValue,
  unpackOutcome,
  unpackTask,
  unpackValue,
} from '../../../../src/core/wire/parcel.js';

registerHost(detectNode);

class Vec {
  readonly x: number;
  constructor(x: number) {
    this.x = x;
  }
}
registerClass(import.meta.url, 'Vec', Vec);

class TooLong extends RangeError {}
registerError(import.meta.url, 'TooLong', TooLong);

class Holds extends RecursiveTask<unknown> {
  static {
    this.register(import.meta.url, 'Holds');
  }
  readonly held: unknown;
  constructor(held: unknown) {
    super();
    this.held = held;
  }
  compute(): unknown {
    return this.held;
  }
}
class Unregistered extends Holds {}

const give = forkable(import.meta.url, 'give', (value: unknown) => value);
const executor = new SequentialExecutor();
const runTask = (task: ForkJoinTask<unknown>): unknown => executor.invokeSync(task);
const through = (value: unknown): unknown => runTask(unpackTask(packTask(new Holds(value))));

describe('a task as bytes', () => {
  test('holds any data', () => {
    const data = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true });
    fc.assert(
      fc.property(data, (value) => {
        expect(through(value)).toEqual(value);
        expect(runTask(unpackTask(packTask(callTask(give, value))))).toEqual(value);
      }),
    );
  });

  test('keeps classes, and arrays that are one', () => {
    const xs = sharedArray(Float64Array, [1, 2, 3]);
    const { vec, left, right } = through({ vec: new Vec(3), left: xs, right: xs }) as Record<
      string,
      Float64Array & Vec
    >;
    expect(vec).toEqual(new Vec(3));
    expect(vec).toBeInstanceOf(Vec);
    expect(left).toBe(right);
    expect([...(left as Float64Array)]).toEqual([1, 2, 3]);
    expect(isShared(left as Float64Array)).toBe(true);
    (left as Float64Array)[0] = 9;
    expect(xs[0], 'by value').toBe(1);
    free(left as Float64Array);
    free(xs);
  });

  test('holds ordinary typed arrays, which arrive as shared ones', () => {
    const { xs } = through({ xs: Float32Array.of(1, 2) }) as { readonly xs: Float32Array };
    expect(xs).toEqual(Float32Array.of(1, 2));
    expect(isShared(xs)).toBe(true);
    free(xs);
  });

  test('refuses what a record refuses, by name', () => {
    expect(() => packTask(new Holds({ xs: [new DataView(new ArrayBuffer(1))] }))).toThrow(
      /field 'held' of Holds.*\.xs\[0\].*unshared/,
    );
    expect(() => packTask(callTask(give, () => 1))).toThrow(NotShareableError);
    expect(() => packTask(new Unregistered(1))).toThrow(TaskRegistrationError);
  });

  test('finds its code by the name alone where modules have other paths', () => {
    const elsewhere = forkable('file:///elsewhere/tasks.mjs', 'onlyHere', (n: number) => n + 1);
    const bytes = packTask(callTask(elsewhere, 41));
    const moved = Buffer.from(Buffer.from(bytes).toString('latin1').replace('/elsewhere/', '/somewhere/'), 'latin1');
    expect(runTask(unpackTask(moved))).toBe(42);
  });

  test('says what this process has if it lacks the code', () => {
    const lost = forkable('file:///lost.mjs', 'lostAtSea', () => 1);
    const bytes = Buffer.from(packTask(callTask(lost)));
    const other = Buffer.from(bytes.toString('latin1').replace('lostAtSea', 'lostAtSky'), 'latin1');
    expect(() => unpackTask(other)).toThrow(
      /no function 'lostAtSky'. It has 'give', .*'lostAtSea'.*file:\/\/\/lost.mjs/,
    );
  });

  test('of another wire version is refused', async () => {
    const { host } = await import('../../../../src/core/platform/host.js');
    const views = { encode: () => undefined, decode: vi.fn() };
    const bytes = host().serialize({ version: 2, codes: [], values: [] }, views);
    expect(() => unpackTask(bytes)).toThrow(/wire version 2 .* reads version 1/);
  });
});

test('a value as bytes keeps ordinary typed arrays as they are', () => {
  const xs = unpackValue(packValue(Float32Array.of(1, 2), 'the argument')) as Float32Array;
  expect([...xs]).toEqual([1, 2]);
  expect(isShared(xs)).toBe(false);
});

describe('an outcome as bytes', () => {
  test('holds a result, ordinary arrays among them', () => {
    const value = { xs: Float32Array.of(1, 2), vec: new Vec(1) };
    expect(unpackOutcome(packOutcome({ failed: false, value }))).toEqual({ failed: false, value });
    expect(() => packOutcome({ failed: false, value: { when: () => 1 } })).toThrow(/the result.*\.when/);
  });

  test('holds an error with its class, cause and stack', () => {
    const thrown = new TooLong('much', { cause: new TypeError('inner') });
    const { failed, value } = unpackOutcome(packOutcome({ failed: true, value: thrown }));
    expect(failed).toBe(true);
    expect(value).toBeInstanceOf(TooLong);
    expect(value).toMatchObject({ message: 'much', stack: thrown.stack, cause: { message: 'inner' } });
  });
});

test('another process reads it, whose modules lie elsewhere and whose code has other numbers', async () => {
  const bytes = packTask(new Holds({ vec: new Vec(7), also: new Vec(8) }));
  const outcome = packOutcome({ failed: true, value: new TooLong('far') });
  vi.resetModules();
  const code = '../../../../src/core/code';
  const { registerHost: register } = await import('../../../../src/core/platform/host.js');
  register(detectNode);
  const classes = await import(`${code}/value-class.js`);
  const errors = await import(`${code}/registry.js`);
  const tasks = await import('../../../../src/core/task/fork-join-task.js');
  const there = await import('../../../../src/core/wire/parcel.js');
  for (const name of ['A', 'B', 'C']) classes.registerClass('file:///there.mjs', name, class {});
  class OtherVec {}
  classes.registerClass('file:///there.mjs', 'Vec', OtherVec);
  class OtherTooLong extends RangeError {}
  errors.registerError('file:///there.mjs', 'TooLong', OtherTooLong);
  expect(() => there.unpackTask(bytes)).toThrow(/no class 'Holds'. It has none/);
  class OtherHolds extends tasks.RecursiveTask<unknown> {
    static {
      this.register('file:///there.mjs', 'Holds');
    }
    compute(): void {}
  }
  const task = there.unpackTask(bytes);
  expect(task).toBeInstanceOf(OtherHolds);
  const { vec, also } = (task as unknown as { held: Record<string, Vec> }).held;
  expect([vec, also].map((one) => one instanceof OtherVec)).toEqual([true, true]);
  expect([vec?.x, also?.x]).toEqual([7, 8]);
  expect(there.unpackOutcome(outcome).value).toBeInstanceOf(OtherTooLong);
});
