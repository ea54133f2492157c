/** What an allocation does that does not fit: arrays that were dropped give their bytes back before their finalizers run. */
import { afterEach, expect, describe as suite, test, vi } from 'vitest';
import * as heap from '../../../../src/core/memory/heap.js';
import { describe, free, nonOwning, sharedArray } from '../../../../src/core/memory/shared-array.js';
import { host, type PlatformHost, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { turn } from '../../../helpers/garbage.js';

const node = detectNode() as PlatformHost;
registerHost(() => ({ ...node }));

/** The size of arrays, of which four fill the heap (bytes). */
const BIG = 2 ** 30 - 2 ** 22;
const big = (): Uint8Array => sharedArray(Uint8Array, BIG, { uninitialized: true });

/** Makes arrays in one job that are dropped in it. */
function dropAll(): void {
  for (let k = 0; k < 4; k++) big();
}

const collect = host().collectGarbage as () => void;

suite('an allocation that does not fit', () => {
  afterEach(async () => {
    host().collectGarbage = collect;
    for (let turns = 0; turns < 10; turns++) {
      collect();
      await turn();
    }
    expect(heap.heapStats().blocks).toBe(0);
  });

  test('finds arrays that earlier jobs have dropped, although no finalizer has run', async () => {
    dropAll();
    await turn(); // the engine has not collected anything, so there is nothing to finalize
    expect(heap.heapStats().blocks).toBe(4);
    const next = big();
    expect(heap.heapStats().blocks).toBe(1);
    free(next);
  });

  test('leaves what is in use, and what was used in the running job', async () => {
    let kept: Uint8Array | undefined = big();
    kept[BIG - 1] = 7;
    let known: Uint8Array | undefined = big();
    await turn();
    const place = nonOwning(known);
    place[0] = 5;
    known = undefined;
    big();
    expect(() => [big(), big()]).toThrow(/the shared heap has .* in use/);
    expect([kept[BIG - 1], place[0]]).toEqual([7, 5]);
    expect(describe(kept)?.length).toBe(BIG);
    kept = undefined;
  });

  test('does not collect again and again when the heap is truly full', async () => {
    const all = [big(), big(), big(), big()];
    await turn();
    const collectGarbage = vi.fn(collect);
    host().collectGarbage = collectGarbage;
    for (let k = 0; k < 20; k++) expect(() => big()).toThrow(RangeError);
    expect(collectGarbage).toHaveBeenCalledTimes(1);
    expect(all.length).toBe(4);
  });

  test('does not collect for every small array when the heap is truly full', async () => {
    const all = [big(), big(), big()];
    const rest: Uint8Array[] = [];
    for (let bytes = BIG; bytes >= 2048; bytes /= 2) {
      try {
        rest.push(sharedArray(Uint8Array, Math.floor(bytes), { uninitialized: true }));
      } catch {}
    }
    await turn();
    const collectGarbage = vi.fn(collect);
    host().collectGarbage = collectGarbage;
    for (let k = 0; k < 200; k++) {
      free(rest.pop() as Uint8Array);
      rest.push(sharedArray(Uint8Array, 1024)); // allocated since the last collection
      expect(() => sharedArray(Uint8Array, 2 ** 20)).toThrow(RangeError);
    }
    expect(collectGarbage.mock.calls.length).toBeLessThan(20); // they take turns with the patience between them
    expect(all.length).toBe(3);
  });

  test('fails as ever where the host does not collect', async () => {
    const all = [big(), big(), big(), big()];
    await turn();
    delete (host() as { collectGarbage?: unknown }).collectGarbage;
    expect(() => big()).toThrow(RangeError);
    expect(all.length).toBe(4);
  });
});
