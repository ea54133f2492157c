import { type Executor, ForkJoinPool, SequentialExecutor } from 'furcate';
import { limit, pipeline, taskGraph } from 'furcate/flows';
import { charge, profile } from 'furcate/insight';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';

const fixtures = await fixture<Record<string, Scenario>>('profiled.mjs');
const { asyncTree, spend, spendAround, spendTwice } = fixtures as Record<string, Scenario> &
  Record<'spend' | 'spendAround' | 'spendTwice', Scenario>;

const charged = { cost: 'charged' } as const;

const pools = [1, 2, 3].map((parallelism) => new ForkJoinPool({ parallelism }));
const checked = new ForkJoinPool({ parallelism: 2, checked: true });
afterAll(() => Promise.all([...pools, checked].map((pool) => pool.close())));

const places: readonly { readonly name: string; readonly pool: Executor }[] = [
  ...pools.map((pool) => ({ name: `P=${pool.parallelism}`, pool })),
  { name: 'P=2, checked', pool: checked },
  { name: 'alone', pool: new SequentialExecutor() },
];

describe.each(places)('$name: charged', ({ pool }) => {
  const cost = async (fn: () => unknown): Promise<{ work: number; span: number }> => {
    const { work, span } = await profile(fn, charged);
    return { work, span };
  };

  test('the span of a task graph is that of its costliest path, and the path names the nodes', async () => {
    const graph = taskGraph((g) => {
      const node = (name: string, units: number, ...after: never[]): never =>
        g.after(g.with({ name }).task(spend, units), ...after) as never;
      const [a, b] = [node('a', 5), node('b', 9)];
      const c = node('c', 3, a);
      const twice = g.after(g.with({ name: 'twice' }).task(spendTwice, 4), c) as never;
      return node('end', 2, twice, b);
    });
    const report = await profile(() => graph.with({ pool }).run(), charged);
    expect(report).toMatchObject({ work: 5 + 9 + 3 + 8 + 2, span: 5 + 3 + 4 + 2, result: 2 });
    expect(report.path.map(({ name, cost }) => [name, cost])).toEqual([
      ['a', 5],
      ['c', 3],
      ['twice', 4],
      ['end', 2],
    ]);
  });

  test('a node that waits has on the path what it does and forks before its awaits and after, and its limit does not matter', async () => {
    const isKnown = typeof process !== 'undefined'; // whose code runs after an await
    const parts = [2, { fork: [3], form: 'function' }, { join: 0 }];
    for (const one of [[], limit(1), limit(2)]) {
      const graph = taskGraph((g) => {
        const a = g.with({ name: 'a' }).task(spendTwice, 5);
        const b = g.with({ name: 'b', limit: one }).task(spendAround, 3, isKnown);
        const c = g.after(g.with({ name: 'c' }).task(spendAround, 7, isKnown), a);
        const d = g.after(g.with({ name: 'd' }).task(asyncTree, parts), b);
        return g.after(g.with({ name: 'end', limit: one }).task(spend, 2), c, d);
      });
      const report = await profile(() => graph.with({ pool }).run(), charged);
      const [work, span] = isKnown ? [5, 2] : [2, 1];
      expect(report).toMatchObject({ work: 10 + 10 * work + 5 + 2, span: 5 + 7 * span + 2, result: 2 });
      expect(report.path.map(({ name, cost }) => [name, cost])).toEqual([
        ['a', 5],
        ['c', 7 * span],
        ['end', 2],
      ]);
    }
  });

  test('the span of a pipeline is that of its costliest chain of calls, whatever goes together', async () => {
    const given = { context: { charge } };
    type Charging = { charge: (units: number) => void };
    const sum = (): Promise<number> =>
      pipeline([5, 1, 9, 2], { pool })
        .map((x: number, { charge }: Charging) => {
          charge(x);
          return 2 * x;
        }, given)
        .scan(
          (sum: number, x: number, { charge }: Charging) => {
            charge(1);
            return sum + x;
          },
          0,
          given,
        )
        .map((x: number, { charge }: Charging) => {
          charge(x);
          return x;
        }, given)
        .reduce(
          (sum: number, x: number, { charge }: Charging) => {
            charge(2);
            return sum + x;
          },
          0,
          given,
        );
    const report = await profile(sum, charged);
    const scanned = [10, 12, 30, 34];
    const ends = [5 + 1, 5 + 2, 9 + 1, 9 + 2].map((end, k) => end + (scanned[k] as number));
    const span = ends.reduce((last, end) => Math.max(last, end) + 2, 0);
    expect(report).toMatchObject({ work: 17 + 4 + 86 + 8, span, result: 86 });
    expect(report.path.map(({ name }) => /^\w+/.exec(name)?.[0])).toEqual(['map', 'scan', 'map', 'reduce']);
    expect(report.stages.map(({ stage, items, work }) => [/^\w+/.exec(stage)?.[0], items, work])).toEqual([
      ['map', 4, 17],
      ['scan', 4, 4],
      ['map', 4, 86],
      ['reduce', 4, 8],
    ]);
    for (const { calls, wait, meanQueue, mostQueue, encodedBytes } of report.stages) {
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThanOrEqual(4);
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(meanQueue).toBeLessThanOrEqual(mostQueue);
      expect(mostQueue).toBeLessThanOrEqual(4);
      expect(encodedBytes).toBeGreaterThan(0);
    }
  });

  test('a batch comes after its items, and what a visit adds after the visit', async () => {
    const given = { context: { charge } };
    type Charging = { charge: (units: number) => void };
    const batches = await cost(() =>
      pipeline([5, 1, 9, 2], { pool })
        .filter((x: number, { charge }: Charging) => {
          charge(x);
          return x > 1;
        }, given)
        .batch(2)
        .map((xs: number[], { charge }: Charging) => charge(xs.reduce((a, b) => a + b)), given)
        .toArray(),
    );
    expect(batches).toEqual({ work: 17 + 16, span: 9 + 14 });
    const visits = await cost(() =>
      pipeline([1], { pool })
        .expand((x: number, feed: { add(...more: number[]): void }, { charge }: Charging) => {
          charge(x);
          if (x < 8) feed.add(2 * x, 2 * x + 1);
        }, given)
        .toArray(),
    );
    expect(visits).toEqual({ work: 120, span: 1 + 3 + 7 + 15 });
  });

  test('what one of several visits of a task adds while the task runs comes after that visit', async () => {
    const visits = await cost(() =>
      pipeline([1], { pool })
        .expand(
          (x: number, feed: { add(...more: number[]): void }, { charge }: { charge: (units: number) => void }) => {
            charge(x);
            for (let k = 0, sum = 0; k < 30_000; k++) sum += Math.sqrt(k + sum); // too long to keep what it adds until it ends
            if (x < 256) feed.add(2 * x, 2 * x + 1);
          },
          { context: { charge } },
        )
        .toArray(),
    );
    expect(visits).toEqual({ work: (511 * 512) / 2, span: 1 + 3 + 7 + 15 + 31 + 63 + 127 + 255 + 511 });
  });

  test('what a generator yields comes after what it has yielded before, although its thread turns to its event loop meanwhile', async () => {
    const given = { context: { charge } };
    type Charging = { charge: (units: number) => void };
    const parts = await cost(() =>
      pipeline([2, 3], { pool })
        .flatMap(function* (x: number, { charge }: Charging) {
          for (let k = 0; k < x; k++) {
            const untilMs = performance.now() + 3;
            while (performance.now() < untilMs); // longer than a thread goes on without a turn
            charge(10);
            yield k;
          }
          charge(1);
        }, given)
        .map((k: number, { charge }: Charging) => charge(k + 1), given)
        .toArray(),
    );
    expect(parts).toEqual({ work: 21 + 31 + 3 + 6, span: 30 + 3 });
  });

  test('what a call of a pipeline does after an await is a part of it', async () => {
    const isKnown = typeof process !== 'undefined'; // as above
    const given = { context: { charge, isKnown } };
    type Charging = { charge: (units: number) => void; isKnown: boolean };
    const visited = await cost(() =>
      pipeline([1, 4], { pool })
        .map(async (x: number, { charge, isKnown }: Charging) => {
          charge(isKnown ? x : 2 * x);
          await undefined;
          if (isKnown) charge(x);
          return x;
        }, given)
        .flatMap(async function* (x: number, { charge, isKnown }: Charging) {
          for (let k = 0; k < x; k++) {
            if (isKnown) await undefined;
            charge(10);
            yield k;
          }
        }, given)
        .map((_: number, { charge }: Charging) => charge(1), given)
        .toArray(),
    );
    expect(visited).toEqual({ work: 2 + 8 + 10 + 40 + 5, span: 8 + 40 + 1 });
  });
});
