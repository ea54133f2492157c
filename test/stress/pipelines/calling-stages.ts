import { each, first, type Keeping, MOST, many, manyOf, mapped, type Stage } from './stage.js';

export const CALLING = {
  map: {
    add: (made, spec) =>
      first(
        made.map((x) => {
          const realm = globalThis as Keeping;
          realm.kept ??= new Float64Array(1);
          realm.kept[0] = x + 1;
          return realm.kept;
        }, spec.options),
        spec,
      ),
    plainly: mapped((x) => x + 1),
  },
  later: {
    waits: true,
    add: (made, spec) =>
      first(
        made.map(async (x) => {
          const realm = globalThis as Keeping;
          realm.gate ??= new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => {
            realm.gate = undefined;
          });
          await realm.gate;
          realm.kept ??= new Float64Array(1);
          realm.kept[0] = x;
          return realm.kept;
        }, spec.options),
        spec,
      ),
    plainly: mapped((x) => x),
  },
  indexed: {
    add: (made, { options }) => made.map((x, i) => (3 * x + i) % 100_003, { ...options, index: true }),
    *plainly(items, _, fail) {
      let i = 0;
      for (const x of items) yield* each([x], (one) => [(3 * one + i++) % MOST], fail);
    },
    isOrderly: true,
  },
  filter: {
    add: (made, { options }) => made.filter((x) => x % 3 !== 0, options),
    plainly: (items, _, fail) => each(items, (x) => (x % 3 === 0 ? [] : [x]), fail),
  },
  gives: { add: (made, { options }, { tasks }) => made.map(tasks.gives as never, options), plainly: mapped((x) => x) },
  usesOwn: {
    add: (made, { options }, { tasks }) => made.map(tasks.usesOwn as never, options),
    plainly: mapped((x) => x),
  },
  /** Fails if the context was cloned twice on a thread. */
  sees: {
    add: (made, { options }, { run }) =>
      made.map(
        (x, { table }) => {
          const realm = globalThis as Keeping;
          realm.tables ??= new Map();
          const known = realm.tables.get(table.run);
          realm.tables.set(table.run, table);
          return known === undefined || known === table ? x : -1;
        },
        { ...options, context: { table: { run } } },
      ),
    plainly: mapped((x) => x),
  },
  many: {
    add: (made, spec) =>
      first(
        made.flatMap(
          function* (x, { size }) {
            const realm = globalThis as Keeping;
            realm.kept ??= new Float64Array(1);
            for (let k = 0; k < 15 * size; k++) {
              realm.kept[0] = (100 * x + k) % 100_003;
              yield realm.kept;
            }
          },
          { ...spec.options, context: { size: spec.size } },
        ),
        spec,
      ),
    plainly: many,
    isMany: true,
  },
  manyLater: {
    waits: true,
    add: (made, spec) =>
      first(
        made.flatMap(
          async function* (x, { size }) {
            const realm = globalThis as Keeping;
            realm.kept ??= new Float64Array(1);
            for (let k = 0; k < 15 * size; k++) {
              if (k % 20 === 0) await null;
              realm.kept[0] = (100 * x + k) % 100_003;
              yield realm.kept;
            }
          },
          { ...spec.options, context: { size: spec.size } },
        ),
        spec,
      ),
    plainly: many,
    isMany: true,
  },
  /** Its generators set a word, for which a blocking section may wait. */
  says: {
    add: (made, { options }, { words }) =>
      made.flatMap(
        function* (x, { words }) {
          for (let k = 0; k < 75; k++) {
            if (k === 60) {
              Atomics.store(words, 0, 1);
              Atomics.notify(words, 0);
            }
            yield (100 * x + k) % 100_003;
          }
        },
        { ...options, context: { words } },
      ),
    plainly: (items, _, fail) => each(items, (x) => manyOf(x, 5), fail),
    isMany: true,
    isFirst: true,
  },
  /** An iterator by hand, which says so by any true value that it is over. */
  iterates: {
    add: (made, { options, size }) =>
      made.flatMap(
        (x, { size }) => {
          let k = 0;
          const next = () => (k < size ? { value: (100 * x + k++) % 100_003, done: 0 } : { done: 'yes' });
          return { [Symbol.iterator]: () => ({ next }) } as unknown as Iterable<number>;
        },
        { ...options, context: { size } },
      ),
    plainly: (items, { size }, fail) =>
      each(items, (x) => Array.from({ length: size }, (_, k) => (100 * x + k) % MOST), fail),
  },
  list: {
    add: (made, { options }) => made.flatMap((x) => [x, x + 1], options),
    plainly: (items, _, fail) => each(items, (x) => [x, x + 1], fail),
  },
  scan: {
    add: (made, spec) =>
      first(
        made.scan((sum: Float64Array, x) => {
          const realm = globalThis as Keeping;
          realm.kept ??= new Float64Array(1);
          realm.kept[0] = ((sum[0] as number) + x) % 100_003;
          return realm.kept;
        }, new Float64Array(1)),
        spec,
      ),
    *plainly(items, _, fail) {
      let sum = 0;
      for (const x of items)
        yield* each(
          [x],
          (one) => {
            sum = (sum + one) % MOST;
            return [sum];
          },
          fail,
        );
    },
    isOrderly: true,
  },
} as const satisfies Record<string, Stage>;
