import '../../../helpers/in-simulated-core.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parallelFor, parallelForRange, parallelForSync } from '../../../../src/algorithms/loops/for-loops.js';
import { sharedArray } from '../../../../src/core/memory/shared-array.js';
import { reset, simulation } from '../../../helpers/simulated-core.js';

beforeEach(() => reset());
afterEach(() => vi.restoreAllMocks());

/** A clock that moves when it is read only, so that no other process makes a short body a long one. */
function quietClock(): void {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 0.0002;
    return nowMs;
  });
}

describe('parallelFor', () => {
  test('goes to the pool until its body is known to be short, and then runs at once on the caller', async () => {
    const xs = sharedArray(Float64Array, 20);
    const square = (i: number, { xs }: { xs: Float64Array }): void => {
      xs[i] = i * i;
    };
    await parallelFor(20, square, { context: { xs } });
    expect(simulation.jobs).toBe(1);
    quietClock();
    // The first calls run code that is not compiled yet, and may count as long.
    for (let call = 0; call < 20; call++) await parallelFor(20, square, { context: { xs } });
    reset();
    const pending = parallelFor(20, square, { context: { xs: xs.fill(0) } });
    expect(xs[19]).toBe(361);
    await pending;
    expect(simulation.jobs).toBe(0);
  });

  test('hands the rest over to the pool when the body takes longer than known', async () => {
    // On a clock of the test's own: no other process makes a short body a long one.
    const body = (i: number, { done, ms, clock }: { done: Uint8Array; ms: number; clock: Float64Array }): void => {
      clock[0] += ms;
      done[i]++;
    };
    const clock = sharedArray(Float64Array, 1);
    vi.spyOn(performance, 'now').mockImplementation(() => {
      clock[0] += 0.0002;
      return clock[0] as number;
    });
    const n = 100; // 10 us, as it is known
    const done = sharedArray(Uint8Array, n);
    const seen: number[] = [];
    for (let call = 0; call < 20; call++) await parallelFor(n, body, { context: { done, clock, ms: 0.0001 } });
    reset();
    done.fill(0);
    await parallelFor(n, body, { context: { done, clock, ms: 3 }, onProgress: (count) => seen.push(count) });
    expect(simulation.jobs).toBe(1);
    expect([...done]).toEqual(new Array(n).fill(1));
    expect(seen.at(-1)).toBe(n);
    expect(seen[0]).toBeGreaterThan(1); // what the caller did counts too
  });

  test('calls nothing for an empty range, and reports its end', async () => {
    const seen: unknown[] = [];
    const onProgress = (...args: unknown[]): void => void seen.push(args);
    await parallelFor(
      0,
      () => {
        throw new Error('called');
      },
      { onProgress },
    );
    await parallelFor([5, 5], () => {
      throw new Error('called');
    });
    expect(seen).toEqual([[0, 0]]);
    expect(simulation.jobs).toBe(0);
  });

  test('names a captured variable, at ten elements and at ten thousand', async () => {
    const captured = [1, 2, 3];
    for (const n of [10, 10_000]) {
      await expect(
        parallelFor(n, (i) => {
          captured[i] = 1;
        }),
      ).rejects.toThrow(/captured variable `captured`/);
      expect(() =>
        parallelForSync(n, (i) => {
          captured[i] = 2;
        }),
      ).toThrow(/captured variable `captured`/);
    }
    await expect(
      parallelForRange(10, () => {
        captured.fill(1);
      }),
    ).rejects.toThrow(/captured variable `captured`/);
  });

  test('clones the context once for the call, on the caller too', async () => {
    const xs = sharedArray(Int32Array, 4);
    let reads = 0;
    const context = {
      get n() {
        return ++reads;
      },
      xs,
    };
    const body = (i: number, { n, xs }: { n: number; xs: Int32Array }): void => {
      xs[i] = n;
    };
    quietClock();
    for (let call = 0; call < 20; call++) await parallelFor(4, body, { context });
    reset();
    await parallelFor(4, body, { context });
    expect(simulation.jobs).toBe(0);
    expect(reads).toBe(21);
    expect([...xs]).toEqual([21, 21, 21, 21]);
  });

  test('sees a cancellation between blocks', async () => {
    reset({ cancelAt: 2 });
    const run = parallelFor(100_000, (i) => {
      if (i < 0) throw new Error();
    });
    await expect(run).rejects.toThrow('cancelled by the simulation');
  });
});
