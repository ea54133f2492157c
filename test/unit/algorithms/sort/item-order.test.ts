/** What orders items on the calling thread pauses often enough for the event loop to get turns, whatever the keys are. */
import { expect, test } from 'vitest';
import { orderOf } from '../../../../src/algorithms/sort/item-order.js';
import type { ItemOrder, SortKey } from '../../../../src/algorithms/sort/sort-keys.js';

const COUNT = 100_000;

/** Goes through the steps; returns the order, and how often the event loop might have had a turn. */
function run(order: ItemOrder): { readonly order: Uint32Array; readonly pauses: number } {
  const steps = orderOf(order);
  let pauses = 0;
  let step = steps.next();
  while (step.done !== true) {
    const numbers = step.value;
    if (numbers === undefined) pauses++;
    const sorted = Uint32Array.from({ length: numbers?.length ?? 0 }, (_, i) => i);
    if (numbers !== undefined) sorted.sort((i, j) => Number(numbers[i]) - Number(numbers[j]));
    step = steps.next(sorted);
  }
  return { order: step.value, pauses };
}

const column = (keyAt: (i: number) => SortKey): ItemOrder['columns'] => [
  { keys: Array.from({ length: COUNT }, (_, i) => keyAt(i)), sign: 1 },
];
const mixed = (i: number): number => (i * 7919) % COUNT;

test.each([
  ['strings', (i: number) => `n${mixed(i)}`],
  ['strings with a common prefix', (i: number) => `${'x'.repeat(30)}${mixed(i)}`],
  ['few strings, each of many items', (i: number) => `n${i % 5}`],
  ['bigints of 64 bits', (i: number) => BigInt(mixed(i))],
  ['larger bigints, which are compared here', (i: number) => 2n ** 70n + BigInt(mixed(i))],
])('%s', (_, keyAt) => {
  const columns = column(keyAt);
  const { order, pauses } = run({ columns, ties: undefined });
  const keys = columns[0]?.keys as readonly SortKey[];
  for (let k = 1; k < COUNT; k++) {
    const [a, b] = [order[k - 1] as number, order[k] as number];
    if ((keys[a] as SortKey) > (keys[b] as SortKey) || (keys[a] === keys[b] && a > b))
      expect.unreachable(`${String(keys[a])} before ${String(keys[b])}`);
  }
  expect(pauses).toBeGreaterThan(COUNT / 4096);
});

test('the comparator for ties is called a few hundred times between two pauses', () => {
  let calls = 0;
  let most = 0;
  const steps = orderOf({
    columns: column(() => 1),
    ties: (i, j) => {
      calls++;
      return mixed(i) - mixed(j);
    },
  });
  for (let step = steps.next(); step.done !== true; ) {
    most = Math.max(most, calls);
    calls = 0;
    step = steps.next(Uint32Array.from({ length: step.value?.length ?? 0 }, (_, i) => i)); // all keys are equal
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(12_000); // a run of 1,024 at once
});
