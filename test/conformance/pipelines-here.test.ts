/** Pipelines on the thread that calls: its event loop gets turns while they run. */
import { SequentialExecutor } from 'furcate';
import { pipeline } from 'furcate/flows';
import { expect, test } from 'vitest';
import { errorOf } from '../helpers/outcomes.js';

const pool = new SequentialExecutor();

/** Visits one item, and another one for ever. */
const endless = (options: object, visits: Iterable<number> = [1]) =>
  pipeline(visits, { pool, ...options }).expand((x, feed) => {
    feed.add(x + 1);
    if (x < 0) throw new RangeError('enough');
    return x;
  });

test('visits that add items for ever do not keep timers waiting, and are cancelled', async () => {
  const timedOut = endless({ timeoutMs: 20 }).forEach(() => {});
  expect(await errorOf(timedOut)).toMatchObject({ name: 'CancellationError', reason: 'timeout' });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const aborted = endless({ signal: controller.signal }).forEach(() => {});
  expect(await errorOf(aborted)).toMatchObject({ name: 'AbortError' });
});

test('visits that add items for ever do not keep the source from being read', async () => {
  function* source(): Generator<number> {
    const untilMs = performance.now() + 20;
    for (let x = 1; x <= 16; x++) yield x;
    while (performance.now() < untilMs); // a turn of the event loop is due
    for (let x = 1; x <= 16; x++) yield -x;
  }
  const failing = endless({}, source()).forEach(() => {});
  expect(await errorOf(failing)).toMatchObject({ name: 'RangeError', message: 'enough' });
});

test('a source that never ends does not keep timers waiting', async () => {
  let n = 0;
  const source = function* () {
    for (;;) yield n++;
  };
  const sums = pipeline(source(), { pool, timeoutMs: 20, inFlight: 4 }).map((x) => x + 1);
  expect(await errorOf(sums.reduce((a, b) => a + b, 0))).toMatchObject({
    name: 'CancellationError',
    reason: 'timeout',
  });
});
