/** Values on their way through pipelines, in every executor: they go by value, whoever changes them, and what is transferred is detached. */
import { type Pipeline, type PipelineOptions, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../helpers/outcomes.js';
import { EXECUTORS } from '../helpers/pipeline-executors.js';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe.each(EXECUTORS)('%s', (_, use) => {
  const run = <T>(call: (given: PipelineOptions) => Promise<T>, given: PipelineOptions = {}): Promise<T> =>
    use((pool) => call({ ...given, pool }));

  test('gives results as they were when they were made, though the function changes them afterwards', async () => {
    const n = 300;
    const totals = upTo(n).map((i) => (i * (i + 1)) / 2);
    const scanned = await run((all) =>
      pipeline(upTo(n), all)
        .scan(
          (state, x) => {
            state.sum += x;
            return state;
          },
          { sum: 0 },
        )
        .map(({ sum }) => sum)
        .toArray(),
    );
    expect(scanned).toEqual(totals);
    const yielded = await run((all) =>
      pipeline([n], all)
        .flatMap(function* (count) {
          const item = [0];
          for (let i = 0; i < count; i++) {
            item[0] = i;
            yield item;
          }
        })
        .toArray(),
    );
    expect(yielded).toEqual(upTo(n).map((i) => [i]));
  });

  test('a state that leaves as an item belongs to whoever gets it', async () => {
    const seen: number[] = [];
    await run(async (all) => {
      for await (const state of pipeline(upTo(6), { ...all, inFlight: 1 }).scan(({ n }) => ({ n: n + 1 }), { n: 0 })) {
        seen.push(state.n);
        state.n = 100;
      }
    });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    const initial = Float64Array.of(0);
    const next = (state: Float64Array, x: Float64Array): Float64Array => {
      state[0] = (state[0] as number) + (x[0] as number);
      return state;
    };
    const items = (): Float64Array[] => upTo(50).map((x) => Float64Array.of(x));
    const transfer = (item: Float64Array): ArrayBuffer[] => [item.buffer as ArrayBuffer];
    for (const _ of [1, 2]) {
      const sum = await run((all) => pipeline(items(), all).reduce(next, initial, { transfer }));
      expect(sum[0]).toBe(1225);
    }
    expect(initial.length).toBe(1);
    const moved = await run((all) =>
      pipeline(items(), all)
        .scan(next, initial)
        .map((state) => state[0], { transfer })
        .toArray(),
    );
    expect(moved.at(-1)).toBe(1225);
  });

  test('detaches what is transferred, once it is on its way to any kind of stage', async () => {
    const transfer = (bytes: Uint8Array): ArrayBufferLike[] => [bytes.buffer];
    const all = (made: Pipeline<Uint8Array>): readonly Promise<unknown>[] => [
      made.map((bytes) => bytes.length, { transfer }).toArray(),
      made.filter((bytes) => bytes[0] === 1, { transfer }).toArray(),
      made.flatMap((bytes) => [...bytes], { transfer }).toArray(),
      made.expand((bytes) => bytes.length, { transfer }).toArray(),
      made.scan((sum: number, bytes) => sum + bytes.length, 0, { transfer }).toArray(),
      made.reduce((sum: number, bytes) => sum + bytes.length, 0, { transfer }),
      made.forEach(() => {}, { transfer }),
      made
        .batch(2)
        .map((some) => some.length, { transfer: (some) => some.map(({ buffer }) => buffer) })
        .toArray(),
    ];
    const inputs: Uint8Array[] = [];
    function* source(): Generator<Uint8Array> {
      for (const bytes of [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)]) {
        inputs.push(bytes);
        yield bytes;
      }
    }
    await use(async (pool) => {
      const again = { [Symbol.iterator]: source };
      expect(await Promise.all(all(pipeline(again, { pool })))).toEqual([
        [3, 2],
        [Uint8Array.of(1, 2, 3)],
        [1, 2, 3, 4, 5],
        [3, 2],
        [3, 5],
        5,
        undefined,
        [2],
      ]);
    });
    expect(inputs).toHaveLength(16);
    expect(inputs.every(({ byteLength }) => byteLength === 0)).toBe(true);
  });

  test('does not detach a buffer that an item shares with others', async () => {
    const bystander = Buffer.from('innocent');
    const whole = new Uint8Array(64);
    const items = [Buffer.from('hello'), whole.subarray(8)];
    await use(async (pool) => {
      const made = pipeline(items, { pool }).map((bytes) => bytes.length, { transfer: (bytes) => [bytes.buffer] });
      expect(await made.toArray()).toEqual([5, 56]);
    });
    expect([bystander.length, whole.length, Buffer.from('abc').length]).toEqual([8, 64, 3]);
  });

  test('fails for what cannot be transferred, and names the stage', async () => {
    await use(async (pool) => {
      const made = pipeline([Uint8Array.of(1)], { pool });
      const view = made.map((bytes) => bytes.length, { transfer: (bytes) => [bytes as never] });
      expect(await errorOf(view.toArray())).toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(
          /options\.transfer of map\(\), stage 1 .* must return an array of ArrayBuffers, ports, .* Name its buffer/,
        ),
      });
      expect(() => made.map((bytes) => bytes.length, { transfer: 1 as never })).toThrow(
        /map\(\), stage 1 .*options\.transfer must be a function/,
      );
    });
  });

  test.each<[string, (made: Pipeline<unknown>) => Pipeline<unknown>]>([
    ['map', (made) => made.map((x) => x)],
    ['scan', (made) => made.scan((sum, x) => (sum as number) + (x as number), 0 as unknown)],
    ['filter', (made) => made.filter(() => true)],
  ])('%s delivers what comes before an item that cannot be cloned, also where items go together', async (_, add) => {
    const source: unknown[] = upTo(400);
    source[300] = () => {};
    const seen: unknown[] = [];
    const reading = run(async (all) => {
      for await (const x of add(pipeline(source, all))) seen.push(x);
    });
    expect(await errorOf(reading)).toMatchObject({ name: 'NotShareableError' });
    expect(seen).toHaveLength(300);
  });

  test.each([true, false])('a batch may have any size; ordered: %s', async (ordered) => {
    const size = 200_000;
    const [batch] = await run((all) => pipeline(upTo(size), all).batch(size).toArray(), { ordered, inFlight: size });
    expect(batch).toHaveLength(size);
  });
});
