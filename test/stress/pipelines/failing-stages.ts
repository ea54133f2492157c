import { each, failing, isBad, LATE, type Stage, stopsAt } from './stage.js';

export const FAILING = {
  fails: {
    add: (made, { options }) =>
      made.map((x) => {
        if (x % 23 === 22) throw new RangeError(`item ${x}`);
        return x;
      }, options),
    plainly: failing((x) => `item ${x}`),
  },
  failsLater: {
    waits: true,
    add: (made, { options }) =>
      made.map(async (x) => {
        await null;
        if (x % 23 === 22) throw new RangeError(`item ${x}`);
        return x;
      }, options),
    plainly: failing((x) => `item ${x}`),
  },
  /** A generator that fails after some items. */
  manyFail: {
    add: (made, { options }) =>
      made.flatMap(function* (x) {
        for (let k = 0; k < 3; k++) yield x;
        if (x % 23 === 22) throw new RangeError(`item ${x}`);
      }, options),
    plainly: (items, _, fail) =>
      each(
        items,
        function* (x) {
          yield* [x, x, x];
          if (isBad(x)) fail(`item ${x}`);
        },
        fail,
      ),
  },
  /** A result that cannot be cloned. */
  odd: {
    add: (made, { options }) => made.map((x) => (x % 23 === 22 ? ((() => 1) as never) : x), options),
    plainly: failing(() => 'odd'),
  },
  dies: {
    add: (made, { options }) => made.map((x) => (x % 23 === 22 ? process.exit(3) : x), options),
    plainly: failing(() => 'crash'),
    dies: true,
  },
  endless: {
    add: (made, { options }) =>
      made.flatMap(function* (x) {
        yield x;
        for (let k = 1; ; k++) yield -k;
      }, options),
    *plainly(items, _, fail) {
      for (const x of each(items, (one) => [one], fail)) {
        yield x;
        for (let k = 1; fail === stopsAt; k++) yield -k;
      }
    },
    isLast: true,
    isEndless: true,
  },
  /** What comes after endless generators fails. */
  endlessFails: {
    add: (made, { options }) =>
      made
        .flatMap(function* (x) {
          yield x;
          for (let k = 1; ; k++) yield -k;
        }, options)
        .map((x) => {
          if (x === -90) throw new RangeError(`item ${x}`);
          return x;
        }),
    *plainly(items, _, fail) {
      for (const x of each(items, (one) => [one], fail)) {
        yield x;
        if (fail === stopsAt) for (let k = 1; k < -LATE; k++) yield -k;
        fail(`item ${LATE}`);
      }
    },
    isLast: true,
    isEndless: true,
  },
} as const satisfies Record<string, Stage>;
