/** What calls cost on this thread, which decides whether values are copied to workers at all. */
import { expect, test } from 'vitest';
import { ValueCost } from '../../../../src/algorithms/values/value-cost.js';

/** Milliseconds that so many values take at so many nanoseconds each. */
const ms = (values: number, ns: number): number => (values * ns) / 1e6;

test('what workers measure counts here only until this thread has measured itself, and where it is less', () => {
  const cost = new ValueCost();
  cost.noteAway(1000, ms(1000, 400));
  expect(cost.here.nsPerElement).toBe(400);
  cost.noteHere(1000, ms(1000, 100));
  cost.noteAway(1000, ms(1000, 500)); // a worker that has not compiled the function yet
  expect(cost.here.nsPerElement).toBe(100);
  expect(cost.call.nsPerElement).toBe(500);
  cost.noteAway(1000, ms(1000, 80));
  expect(cost.here.nsPerElement).toBe(80);
});

test('one chunk that is interrupted does not make a function dear; chunks that are dear do', () => {
  const cost = new ValueCost();
  cost.noteHere(1000, ms(1000, 100));
  cost.noteHere(1000, ms(1000, 500));
  expect(cost.here.nsPerElement).toBeLessThan(200);
  for (let k = 0; k < 16; k++) cost.noteHere(1000, ms(1000, 500));
  expect(cost.here.nsPerElement).toBeGreaterThan(400);
});
