/** When parts of the library are evaluated, and how threads get them from each other; a second realm stands for a thread. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

type Realm = typeof import('../../../../src/core/library/parts.js') & {
  readonly supplier: typeof import('../../../../src/core/code/supplier.js').supplier;
  readonly heap: typeof import('../../../../src/core/memory/heap.js');
};

async function freshRealm(): Promise<Realm> {
  vi.resetModules();
  const parts = await import('../../../../src/core/library/parts.js');
  const { supplier } = await import('../../../../src/core/code/supplier.js');
  const heap = await import('../../../../src/core/memory/heap.js');
  (await import('../../../../src/core/platform/host.js')).registerHost(detectNode);
  return { ...parts, supplier, heap };
}

registerHost(detectNode);
let here: Realm;
beforeEach(async () => {
  here = await freshRealm();
});
afterEach(() => {
  vi.resetModules();
});

/** A part whose function is its text. */
const source = (text: string, make: unknown = new Function(`'use strict'; return ${text}`)()) => ({
  path: 'some/part.js',
  text,
  make: make as never,
});

test('a part is read and evaluated when it is first asked for, once', () => {
  const make = vi.fn(() => ({ answer: 42 }));
  const read = vi.fn(() => source('', make));
  here.providePart('late', read);
  here.providePart('late', () => source('', () => ({ answer: 'of another copy' })));
  expect(read).not.toHaveBeenCalled();
  expect(here.part('late')).toEqual({ answer: 42 });
  expect(here.part('late')).toBe(here.part('late'));
  expect(make).toHaveBeenCalledTimes(1);
});

test('the parts below are evaluated as the destructuring at the top asks for them', () => {
  const evaluated: string[] = [];
  const note = (): void => void evaluated.push(here.supplier.origin());
  here.providePart('below', () =>
    source('', () => {
      note();
      return { one: 1 };
    }),
  );
  here.providePart('unused', () => source('', note));
  here.providePart('above', () =>
    source('', ({ below }: { below: { one: number } }) => {
      const { one } = below;
      note();
      return { two: one + 1 };
    }),
  );
  expect(here.part('above')).toEqual({ two: 2 });
  expect(evaluated).toEqual(['below', 'above']);
  expect(here.supplier.origin()).toBe('');
});

test('a part that throws is evaluated anew when it is asked for again', () => {
  let calls = 0;
  here.providePart('shaky', () =>
    source('', () => {
      if (++calls === 1) throw new Error('out of stack');
      return { calls };
    }),
  );
  expect(() => here.part('shaky')).toThrow('out of stack');
  expect(here.supplier.origin()).toBe('');
  expect(here.part('shaky')).toEqual({ calls: 2 });
});

test('a part that must be fetched first is fetched once it is used, and one that is here is used at once', async () => {
  const fetch = vi.fn(async () => here.providePart('far', () => source('', () => ({ answer: 42 }))));
  here.deferPart('far', fetch);
  here.deferPart('far', () => expect.unreachable('the first one counts'));
  const use = async ({ answer }: { readonly answer?: unknown }): Promise<unknown> => answer;
  expect(await here.withPart('far', use)).toBe(42);
  expect(await here.withPart('far', use)).toBe(42);
  here.providePart('near', () => source('', () => ({ answer: 43 })));
  here.deferPart('near', fetch);
  const used = vi.fn(use);
  const answered = here.withPart('near', used);
  expect(used).toHaveBeenCalledTimes(1);
  expect(await answered).toBe(43);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('all who wait for a part that is fetched go on in the order in which they came, whatever becomes of the fetches', async () => {
  const fetches: (() => void)[] = [];
  here.deferPart('slow', () => new Promise((resolve) => fetches.push(resolve)));
  const order: number[] = [];
  const waiting = [1, 2, 3].map((k) => here.withPart('slow', async () => order.push(k)));
  here.providePart('slow', () => source('', () => ({})));
  for (const fetched of fetches.reverse()) fetched();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
});

test('a fetch that has failed is tried again by the next call', async () => {
  const fetch = vi.fn(async () => {
    if (fetch.mock.calls.length === 1) throw new Error('offline');
    here.providePart('lost', () => source('', () => ({ answer: 44 })));
  });
  here.deferPart('lost', fetch);
  const use = async ({ answer }: { readonly answer?: unknown }): Promise<unknown> => answer;
  await expect(here.withPart('lost', use)).rejects.toThrow('offline');
  expect(await here.withPart('lost', use)).toBe(44);
});

test('where the engine keeps the failure, the file is imported by another URL from the second call on', async () => {
  const imported = vi.fn(async (url: string) => {
    if (url.endsWith('furcate=1')) throw new TypeError(`cannot fetch ${url}`);
    return { answer: 45 };
  });
  (await import('../../../../src/core/platform/host.js')).registerHost(() => ({ importModule: imported }) as never);
  here.deferPart('kept', async (again) => {
    if (again === undefined)
      throw new TypeError('Failed to fetch dynamically imported module: https://a.b/kept.js?v=2');
    here.providePart('kept', () => source('', () => ({ ...again })));
  });
  const use = async ({ answer }: { readonly answer?: unknown }): Promise<unknown> => answer;
  await expect(here.withPart('kept', use)).rejects.toThrow('kept.js?v=2');
  await expect(here.withPart('kept', use)).rejects.toThrow('kept.js?v=2&furcate=1');
  expect(await here.withPart('kept', use)).toBe(45);
  expect(imported.mock.calls).toEqual([['https://a.b/kept.js?v=2&furcate=1'], ['https://a.b/kept.js?v=2&furcate=2']]);
});

test('a part that no copy of the library here has is an error that names it', () => {
  expect(() => here.part('nowhere')).toThrow("furcate: the part 'nowhere' of the library is not on this thread.");
});

describe('another thread', () => {
  const LOW = "(() => ({ greeting: 'h\\u00e4' + String.fromCharCode(0x2028) }))";
  const HIGH = '(function high({ low }) { return { said: low.greeting + (this === undefined) }; })';

  const adopted = async (): Promise<Realm> => {
    const handle = here.heap.currentHeap().handle();
    const there = await freshRealm();
    there.heap.adoptHeap(handle);
    return there;
  };

  test('has the parts that were used where they are published, and those that may be used later', async () => {
    here.providePart('low', () => source(LOW));
    here.providePart('binary', () => source("(() => ({ binary: '00ff' }))"));
    here.providePart('high', () => source(HIGH), ['binary']);
    here.providePart('unused', () => source('(() => ({}))'));
    const { said } = here.part('high');
    const there = await adopted();
    expect(() => there.part('high')).toThrow("part 'high'");
    here.publishParts();
    expect(there.part('high')).toEqual({ said });
    expect(there.part('binary')).toEqual({ binary: '00ff' });
    expect(() => there.part('unused')).toThrow("part 'unused'");
  });

  test('has a part that was published without being used', async () => {
    here.providePart('low', () => source(LOW));
    for (const name of ['low', 'low', 'unknown']) here.publishPart(name);
    const there = await adopted();
    expect(there.part('low')).toEqual(here.part('low'));
    expect(() => there.part('unknown')).toThrow("part 'unknown'");
  });

  test('takes what is published before its own copy, and publishes nothing a second time', async () => {
    here.providePart('low', () => source(LOW));
    here.part('low');
    here.publishParts();
    const there = await adopted();
    const own = vi.fn(() => source(LOW));
    there.providePart('low', own);
    expect(there.part('low')).toEqual(here.part('low'));
    const before = there.heap.heapStats();
    there.publishParts();
    expect(there.heap.heapStats()).toEqual(before);
    expect(own).not.toHaveBeenCalled();
  });
});
