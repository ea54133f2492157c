/** Objects of the platform that structured cloning takes cross to tasks and back, as far as a host has them. */
import {
  type AsyncForkable,
  type Executor,
  type Forkable,
  ForkJoinPool,
  parallelMap,
  SequentialExecutor,
  task,
} from 'furcate';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';

type Platform = Record<string, new (...args: unknown[]) => object>;
const { looksAt, givesBack, readsText, makesBlob } = await fixture<{
  looksAt: Forkable<[value: object], [name: string, about: unknown]>;
  givesBack: Forkable<[value: object], { value: object }>;
  readsText: AsyncForkable<[blob: Blob], string>;
  makesBlob: Forkable<[], Blob>;
}>('platform-objects.mjs');
const platform = globalThis as unknown as Platform;
const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** What this host has, each with what the task sees of it. */
async function objects(): Promise<[value: object, about: unknown][]> {
  const found: [value: object, about: unknown][] = [[new Blob(['text']), 4]];
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
  found.push([key, 'secret'], [new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)), null]);
  if ('DOMRect' in platform) {
    const { DOMRect, DOMPointReadOnly, DOMMatrix, DOMQuad, ImageData } = platform;
    found.push([new DOMRect(1, 2, 3, 4), 3], [new DOMPointReadOnly(1, 2, 3, 4), null]);
    found.push([new DOMMatrix([1, 2, 3, 4, 5, 6]), null], [new DOMQuad({ x: 1, y: 2 }), null]);
    const pixels = new Uint8ClampedArray(32).fill(7);
    found.push([new ImageData(pixels, 4, 2), 4], [new platform.File(['a file'], 'name.txt'), 6]);
    found.push([await createImageBitmap(new ImageData(pixels, 4, 2) as never), 4]);
  }
  return found;
}

const pools: Executor[] = [
  new ForkJoinPool({ parallelism: 2 }),
  new ForkJoinPool({ parallelism: 2, checked: true }),
  new SequentialExecutor(),
];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

describe.each(pools.map((pool, k) => ({ pool, name: ['a pool', 'a checked pool', 'a sequential executor'][k] })))(
  '$name',
  ({ pool }) => {
    test('tasks and plain values have them, and results too that came from the owner', async () => {
      for (const [value, about] of await objects()) {
        expect(await pool.invoke(looksAt, value)).toEqual([tagOf(value), about]);
        expect(tagOf((await pool.invoke(givesBack, value)).value)).toBe(tagOf(value));
        const options = { pool, context: { it: value } };
        const seen = await parallelMap([1], (_x, _i, { it }) => Object.prototype.toString.call(it), options);
        expect(seen).toEqual([`[object ${tagOf(value)}]`]);
        const [back, twice] = await parallelMap([{ value }, { value }], (each) => each, { pool });
        expect([tagOf(back.value), tagOf(twice.value)]).toEqual([tagOf(value), tagOf(value)]);
      }
    });

    test('their contents are whole', async () => {
      expect(await pool.invoke(readsText, new Blob(['what is in it']))).toBe('what is in it');
      if (!('ImageData' in platform)) return;
      const pixels = Uint8ClampedArray.from({ length: 32 }, (_, i) => 7 * i);
      const image = new platform.ImageData(pixels, 4, 2);
      const { value } = await pool.invoke(givesBack, image);
      expect((value as ImageData).data).toEqual(pixels);
      const { value: matrix } = await pool.invoke(givesBack, new platform.DOMMatrix([1, 2, 3, 4, 5, 6]));
      const { a, b, c, d, e, f } = matrix as DOMMatrix;
      expect([a, b, c, d, e, f]).toEqual([1, 2, 3, 4, 5, 6]);
    });
  },
);

test('what is closed after the call was whole at the call', async () => {
  if (!('ImageData' in platform)) return expect('createImageBitmap' in platform).toBe(false);
  const bitmap = (await createImageBitmap(new platform.ImageData(4, 2) as never)) as ImageBitmap;
  const seen = parallelMap([{ bitmap }], (each) => each.bitmap.width, { pool: pools[0] });
  bitmap.close();
  expect(await seen).toEqual([4]);
});

test('what cannot be cloned is refused by name, and a worker cannot send what the owner does not have', async () => {
  const [pool] = pools as [Executor];
  await expect(pool.invoke(looksAt, new WeakMap())).rejects.toMatchObject({ name: 'NotShareableError' });
  await expect(pool.invoke(looksAt, new AbortController().signal)).rejects.toThrow(/pool\.with\(\{ signal \}\)/);
  await expect(parallelMap([{ wait: Promise.resolve(1) }], () => 1, { pool })).rejects.toThrow(
    /is a Promise, which cannot be cloned/,
  );
  await expect(pool.invoke(task(makesBlob))).rejects.toThrow(/is a Blob, which a worker cannot send\. Return its data/);
});
