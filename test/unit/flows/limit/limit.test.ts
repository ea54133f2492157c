/** `limit()` and the option `limit`: what they take and refuse, and invocations on this thread. */
import { describe, expect, test } from 'vitest';
import { loadings } from '../../../../src/core/code/main-module.js';
import { asyncForkable, forkable, type LimitOption, SequentialExecutor, task } from '../../../../src/core/index.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { admissionOf, type Limit, limit } from '../../../../src/flows/limit/limit.js';
import '../../../../src/extensions/async/index.js';

registerHost(detectNode);

const URL = 'file:///limit.test.ts';
const double = forkable(URL, 'double', (x: number): number => 2 * x);
const failing = forkable(URL, 'failing', (): number => {
  throw new RangeError('no');
});
const gates: (() => void)[] = [];
const waits = asyncForkable(URL, 'waits', async (_scope, x: number): Promise<number> => {
  await new Promise<void>((open) => gates.push(open));
  return x;
});

const settled = async (): Promise<void> => {
  for (let k = 0; k < 30; k++) await undefined;
};

describe('limit()', () => {
  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (size) => {
    expect(() => limit(size)).toThrow(/furcate: limit\(size\) takes an integer from 1 up/);
  });

  test('refuses what is no number, other options, and requests beyond its size', () => {
    expect(() => limit('2' as never)).toThrow(TypeError);
    expect(() => limit(2, { nam: 'x' } as never)).toThrow(/has no option 'nam'/);
    expect(() => limit(2, { name: 3 } as never)).toThrow(/name must be a string/);
    expect(() => limit(2, null as never)).toThrow(/must be an object/);
    for (const permits of [0, 3, 1.5]) expect(() => limit(2).of(permits)).toThrow(/integer from 1 to 2/);
  });

  test('tells what is free', () => {
    const two = limit(2, { name: 'two' });
    expect([two.size, two.inUse, two.waiting]).toEqual([2, 0, 0]);
    const permits = admissionOf([two.of(2)], 'x')?.tryTake();
    void admissionOf(two, 'x')?.take();
    expect([two.inUse, two.waiting]).toEqual([2, 1]);
    permits?.release();
    expect([two.inUse, two.waiting]).toEqual([1, 0]);
  });
});

describe('the option', () => {
  const [db, memory] = [limit(1, { name: 'db' }), limit(10, { name: 'memory' })];

  test('names what it was given, and a limit that is named twice or held already', () => {
    expect(admissionOf(undefined, 'map')).toBeUndefined();
    expect(admissionOf([], 'map')).toBeUndefined();
    expect(() => admissionOf(3, 'map: limit')).toThrow(/map: limit takes what limit\(\).*it was given 3/);
    expect(() => admissionOf([db, memory, db], 'map: limit')).toThrow(/names db twice/);
    expect(() => admissionOf([db, db.of(1)], 'map: limit')).toThrow(/names db twice/);
    const outer = admissionOf([memory.of(3)], 'node');
    expect(() => admissionOf([db, memory], "node 'sum': limit", outer)).toThrow(
      /node 'sum': limit names memory, which is held already/,
    );
    expect(() => admissionOf([db], 'node', outer)).not.toThrow();
  });

  test("refuses a limit that a worker's import has made", () => {
    const loading = { refused: [], onStall() {} };
    loadings.add(loading);
    const made = limit(1, { name: 'mine' });
    loadings.delete(loading);
    expect(() => admissionOf(made, 'map: limit')).toThrow(/names mine, which this worker has made for itself/);
  });

  test("takes such a limit for what the import makes, too, which can be started on the limit's own thread alone", async () => {
    const loading = { refused: [], onStall() {} };
    loadings.add(loading);
    const admission = admissionOf(limit(1, { name: 'mine' }), 'map: limit');
    loadings.delete(loading);
    let started = false;
    const run = admission?.run(async () => {
      started = true;
    });
    await expect(run).rejects.toThrow(/map: limit names mine, which this worker has made for itself/);
    expect(started).toBe(false);
  });
});

describe('an invocation', () => {
  const executor = new SequentialExecutor();
  const inUse = (...limits: Limit[]): number[] => limits.flatMap((one) => [one.inUse, one.waiting]);

  test('starts at once where permits are free, and gives them back, also if it fails', async () => {
    const one = limit(1);
    await expect(executor.invoke(task(double, 4), { limit: one })).resolves.toBe(8);
    await expect(executor.with({ limit: [one] }).invoke(failing)).rejects.toThrow(RangeError);
    await expect(executor.invoke(task(double, 5), { limit: [] })).resolves.toBe(10);
    expect(inUse(one)).toEqual([0, 0]);
  });

  test('waits, without beginning, until all permits are there', async () => {
    const [one, three] = [limit(1), limit(3)];
    const first = executor.invoke(task(waits, 1), { limit: [one, three] });
    const second = executor.invoke(task(waits, 2), { limit: [three.of(3), one] });
    const third = executor.invoke(task(waits, 3), { limit: three });
    await settled();
    expect([gates.length, ...inUse(one, three)]).toEqual([1, 1, 1, 1, 2]); // the third does not overtake
    gates.pop()?.();
    await expect(first).resolves.toBe(1);
    await settled();
    expect([gates.length, ...inUse(one, three)]).toEqual([1, 1, 0, 3, 1]);
    gates.pop()?.();
    await expect(second).resolves.toBe(2);
    await settled();
    gates.pop()?.();
    await expect(third).resolves.toBe(3);
    expect(inUse(one, three)).toEqual([0, 0, 0, 0]);
  });

  test('can be cancelled while it waits, by its signal, its time-out, and the end of its pool', async () => {
    const one = limit(1);
    const held = executor.invoke(task(waits, 1), { limit: one });
    const controller = new AbortController();
    const aborted = executor.invoke(task(double, 1), { limit: one, signal: controller.signal });
    const late = executor.invoke(task(double, 2), { limit: one, timeoutMs: 1 });
    controller.abort('enough');
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
    await expect(late).rejects.toMatchObject({ name: 'CancellationError', reason: 'timeout' });
    expect(inUse(one)).toEqual([1, 0]);
    gates.pop()?.();
    await held;
    expect(inUse(one)).toEqual([0, 0]);
  });

  test('is in flight while it waits: an executor that is being closed runs it', async () => {
    const closing = new SequentialExecutor();
    const one = limit(1);
    const held = closing.invoke(task(waits, 1), { limit: one });
    const next = closing.invoke(task(double, 2), { limit: one });
    let closed = false;
    const end = closing.close().then(() => {
      closed = true;
    });
    await settled();
    expect(closed).toBe(false);
    gates.pop()?.();
    await expect(Promise.all([held, next, end])).resolves.toEqual([1, 4, undefined]);
  });

  test('runs once, however often it is invoked while it waits', async () => {
    const one = limit(1);
    const held = executor.invoke(task(waits, 1), { limit: one });
    const twice = task(double, 3);
    const invocations = [0, 1].map(() => executor.invoke(twice, { limit: one }));
    await settled();
    gates.pop()?.();
    await held;
    const [first, second] = await Promise.allSettled(invocations);
    expect(first).toEqual({ status: 'fulfilled', value: 6 });
    expect(String((second as PromiseRejectedResult).reason)).toMatch(/furcate: invoke\(\) of a double that has run/);
    expect(inUse(one)).toEqual([0, 0]);
  });

  test('refuses what is no limit', async () => {
    for (const wrong of [3, null, {}, [limit(1), 'x']])
      await expect(executor.invoke(task(double, 1), { limit: wrong as LimitOption })).rejects.toThrow(
        /limit must be what limit\(\) of 'furcate\/flows'/,
      );
    const one = limit(1);
    await expect(executor.invoke(task(double, 1), { limit: [one, one] })).rejects.toThrow(/twice/);
  });
});
