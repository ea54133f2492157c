/**
 * Random pipelines beside plain loops, several at once in pools whose workers retire, block and have few spares or none: scratch buffers in results,
 * asynchronous functions that one promise lets go on, long and endless generators, readers that stop, are slow or leave, failures with and without
 * an order.
 */
import fc from 'fast-check';
import { ForkJoinPool } from 'furcate';
import { type Pipeline, pipeline } from 'furcate/flows';
import { fixture, type Scenario } from '../helpers/executors.js';
import { settledInTime } from '../helpers/hangs.js';
import { parametersOf, type RunOptions } from './run-options.js';

const KINDS = ['add', 'scratch', 'waits', 'filter', 'many', 'manyLater', 'fails'] as const;
type Kind = (typeof KINDS)[number];

interface Spec {
  readonly items: number;
  readonly ordered: boolean;
  readonly inFlight: number;
  readonly stages: readonly Kind[];
  /** After how many items the reader leaves. */
  readonly breakAfter: number | undefined;
  /** After how many items the reader runs a task that blocks; 0 for never. */
  readonly blocksAfter: number;
  readonly endless: boolean;
}

/** Two stages that make many of each item would make too many. */
const withOneOfMany = (kinds: readonly Kind[]): Kind[] => {
  const first = kinds.findIndex((kind) => kind.startsWith('many'));
  return kinds.map((kind, k) => (kind.startsWith('many') && k !== first ? 'add' : kind));
};

const anySpec: fc.Arbitrary<Spec> = fc.record({
  items: fc.nat(60),
  ordered: fc.boolean(),
  inFlight: fc.integer({ min: 1, max: 12 }),
  stages: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }).map(withOneOfMany),
  breakAfter: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined, freq: 3 }),
  blocksAfter: fc.nat(5),
  endless: fc.boolean(),
});

const MANY = 70;
/** Items that fail where a stage may: some, and not the first ones. */
const isBad = (x: number): boolean => x % 23 === 22;

type Keeping = { kept?: Float64Array; gate?: Promise<unknown> };

const STAGES: Readonly<Record<Kind, (made: Pipeline<number>) => Pipeline<number>>> = {
  add: (made) => made.map((x) => x + 1),
  scratch: (made) =>
    made
      .map((x) => {
        const realm = globalThis as Keeping;
        realm.kept ??= new Float64Array(1);
        realm.kept[0] = x;
        return realm.kept;
      })
      .map((view) => view[0] as number, { concurrency: 2 }),
  waits: (made) =>
    made
      .map(async (x) => {
        const realm = globalThis as Keeping;
        realm.gate ??= new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => {
          realm.gate = undefined as never;
        });
        await realm.gate;
        realm.kept ??= new Float64Array(1);
        realm.kept[0] = x;
        return realm.kept;
      })
      .map((view) => view[0] as number, { concurrency: 2 }),
  filter: (made) => made.filter((x) => x % 3 !== 0),
  many: (made) =>
    made.flatMap(function* (x) {
      for (let k = 0; k < 70; k++) yield 100 * x + k;
    }),
  manyLater: (made) =>
    made.flatMap(async function* (x) {
      for (let k = 0; k < 70; k++) {
        if (k % 20 === 0) await null;
        yield 100 * x + k;
      }
    }),
  fails: (made) =>
    made.map((x) => {
      if (x % 23 === 22) throw new RangeError(`item ${x}`);
      return x;
    }),
};

/** What a stage makes of an item; undefined if it fails. */
function plainly(kind: Kind, x: number): number[] | undefined {
  if (kind === 'add') return [x + 1];
  if (kind === 'filter') return x % 3 === 0 ? [] : [x];
  if (kind === 'many' || kind === 'manyLater') return Array.from({ length: MANY }, (_, k) => 100 * x + k);
  return kind === 'fails' && isBad(x) ? undefined : [x];
}

/** What an item becomes, in order, up to its first failure. */
function become(stages: readonly Kind[], x: number): { readonly made: number[]; readonly fails: boolean } {
  const [kind, ...rest] = stages;
  if (kind === undefined) return { made: [x], fails: false };
  const made: number[] = [];
  for (const one of plainly(kind, x) ?? []) {
    const inner = become(rest, one);
    made.push(...inner.made);
    if (inner.fails) return { made, fails: true };
  }
  return { made, fails: plainly(kind, x) === undefined };
}

/** Items of a flow, whose last stage may be endless; and whether it fails. */
async function read(spec: Spec, pool: ForkJoinPool, gives: Scenario): Promise<{ items: number[]; failure?: string }> {
  const { ordered, inFlight, breakAfter, blocksAfter } = spec;
  let made: Pipeline<number> = pipeline(
    Array.from({ length: spec.items }, (_, i) => i),
    { pool, ordered, inFlight },
  );
  for (const kind of spec.stages) made = STAGES[kind](made);
  if (isEndless(spec))
    made = made.flatMap(function* (x) {
      yield x;
      for (;;) yield -1;
    });
  const items: number[] = [];
  try {
    for await (const x of made) {
      items.push(x);
      if (items.length === blocksAfter) await pool.invoke(gives, 1);
      if (items.length === breakAfter) break;
    }
  } catch (error) {
    return { items, failure: (error as Error).message };
  }
  return { items };
}

const isEndless = ({ endless, breakAfter, items }: Spec): boolean => endless && breakAfter !== undefined && items > 0;

function check(spec: Spec, { items, failure }: { items: readonly number[]; failure?: string }): void {
  const all = Array.from({ length: spec.items }, (_, x) => become(spec.stages, x));
  const refuse = (what: string): never => {
    throw new Error(`${what}; given: ${items.slice(0, 40)}; failure: ${failure}`);
  };
  if (failure !== undefined && !/^item \d+$/.test(failure)) refuse(`an error that no function throws: ${failure}`);
  if (failure !== undefined && all.every(({ fails }) => !fails)) refuse('a failure of no item');
  const bad = all.findIndex(({ fails }) => fails);
  const expected = all.slice(0, spec.ordered && bad >= 0 ? bad + 1 : undefined).flatMap(({ made }) => made);
  const given = items.filter((x) => x >= 0);
  if (spec.ordered && `${given}` !== `${expected.slice(0, given.length)}`) refuse('items out of order');
  const left = new Map<number, number>();
  for (const x of expected) left.set(x, (left.get(x) ?? 0) + 1);
  for (const x of given) {
    if ((left.get(x) ?? 0) === 0) refuse(`item ${x} comes from nowhere, or twice`);
    left.set(x, (left.get(x) as number) - 1);
  }
  const hasLeft = spec.breakAfter !== undefined && items.length >= spec.breakAfter;
  if (hasLeft || isEndless(spec)) return;
  if (bad >= 0 ? failure === undefined : given.length < expected.length)
    refuse(`${expected.length} items were to come`);
  if (spec.ordered && given.length < expected.length) refuse(`${expected.length} items come before the failure`);
}

export async function runPipelines(options: RunOptions): Promise<void> {
  const { gives } = await fixture<{ gives: Scenario }>('blocking.mjs');
  const property = fc.asyncProperty(
    fc.array(anySpec, { minLength: 1, maxLength: 3 }),
    fc.record({
      parallelism: fc.integer({ min: 1, max: 2 }),
      maxSpares: fc.constantFrom(0, 1, 8),
      keepAliveMs: fc.constantFrom(0, 5, 60_000),
      checked: fc.boolean(),
    }),
    async (specs, settings) => {
      const pool = new ForkJoinPool(settings);
      try {
        const runs = specs.map(async (spec) => check(spec, await read(spec, pool, gives)));
        const settled = await settledInTime('a pipeline', Promise.allSettled(runs));
        for (const one of settled) if (one.status === 'rejected') throw one.reason;
        await settledInTime('pool.close()', pool.close());
      } finally {
        await pool.terminate();
      }
    },
  );
  await fc.assert(property, parametersOf(options));
}
