/** Calls subjects with random arguments, and judges what comes of it. */
import fc from 'fast-check';
import { ForkJoinPool, forkable, SequentialExecutor, sharedArray } from 'furcate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heapCounters } from '../helpers/heap-counters.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { type Argument, argumentOf, optionsArgument } from './arguments.js';
import { expectClear } from './clear-errors.js';
import type { Subject } from './subjects.js';
import { calling } from './watchdog.js';

const RUNS = 100;
/** Most repetitions of the same cases. A leak would leave memory in every pass. */
const MAX_PASSES = 5;

/** The pool that hostile calls share. */
export const pool = new ForkJoinPool({ parallelism: 2 });
const heap = heapCounters(sharedArray);

type Place = 'outside' | 'in a task' | 'in a task of a pool';
interface Case {
  readonly place: Place;
  readonly args: readonly Argument[];
}

const casesOf = ({ kinds, options }: Subject): fc.Arbitrary<Case> =>
  fc.record({
    place: fc.constantFrom<Place>('outside', 'outside', 'in a task', 'in a task of a pool'),
    args: fc
      .tuple(
        fc.tuple(...kinds.map(argumentOf)),
        options === undefined ? fc.constant([]) : fc.tuple(optionsArgument(pool, options)),
      )
      .map(([args, last]): Argument[] => [...args, ...last]),
  });

let inside: () => unknown = () => undefined;
const runInside = forkable(import.meta.url, 'runInside', () => {
  inside();
});

/** Calls in the given place; returns the result, or throws the error. */
function callAt(place: Place, call: () => unknown): unknown {
  if (place === 'outside') return call();
  let result: unknown;
  inside = () => {
    result = call();
  };
  if (place === 'in a task') new SequentialExecutor().invokeSync(runInside);
  else pool.invokeSync(runInside);
  return result;
}

/** Waits for the result if it is a promise of the library. Leaves hostile thenables alone. */
async function settled(value: unknown): Promise<unknown> {
  if (!(value instanceof Promise)) return undefined; // not the value: `await` would call the `then` of a hostile value
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the promise did not settle')), STEP_HANG_MS);
  });
  try {
    return await Promise.race([value, hang]);
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes of the arrays among the arguments, except of views whose memory is gone. */
const snapshot = (given: readonly unknown[]): number[] =>
  given
    .filter((value) => ArrayBuffer.isView(value))
    .flatMap((view) =>
      view.byteLength === 0 ? [] : [...new Uint8Array(view.buffer, view.byteOffset, view.byteLength)],
    );

const isEqual = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

async function runCase(subject: Subject, { place, args }: Case): Promise<void> {
  const hostileCode = args.some(({ hasCode }) => hasCode);
  const given = args.map(({ make }) => make());
  const before = hostileCode ? undefined : snapshot(given);
  let error: { readonly thrown: unknown } | undefined;
  try {
    const value = callAt(place, () => subject.call(...given));
    await settled(value);
  } catch (thrown) {
    error = { thrown };
  }
  if (error !== undefined) {
    expectClear(error.thrown, { hostileCode: hostileCode || subject.engineSpeaks === true });
    if (before !== undefined && !isEqual(snapshot(given), before)) throw new Error('the call wrote to an argument');
  }
  expect(await pool.awaitQuiescence(0)).toBe(true);
}

async function runCases(subject: Subject, cases: readonly Case[]): Promise<void> {
  for (const each of cases) {
    const shown = `${subject.name}(${each.args.map(({ label }) => label).join(', ')}) ${each.place}`;
    calling(shown);
    try {
      await runCase(subject, each);
    } catch (cause) {
      throw new Error(`${shown}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
  calling(undefined);
}

/** A test for each subject. */
export function testSubjects(all: readonly Subject[], seed: number): void {
  beforeAll(() => pool.ready());
  afterAll(() => pool.close());

  describe.each(all)('$name', (subject) => {
    test('gives an answer or a clear error, and leaves no memory', async () => {
      const cases = fc.sample(casesOf(subject), { seed, numRuns: RUNS });
      const growth: number[] = [];
      // Permanent blocks appear in the first pass, or later if the schedule combines codes in a new way.
      while (growth.at(-1) !== 0 && growth.length < MAX_PASSES) {
        const before = heap.byteBlocks();
        await runCases(subject, cases);
        growth.push(heap.byteBlocks() - before);
      }
      expect(growth.at(-1), `blocks left by each pass: ${growth.join(', ')}`).toBe(0);
    });
  });
}
