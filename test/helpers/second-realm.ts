/** A second copy of the shared heap's modules on the same memory: another realm, as far as the heap can tell. */
import { vi } from 'vitest';

type Heap = typeof import('../../src/core/memory/heap.js');
type Arrays = typeof import('../../src/core/memory/shared-array.js');

/** @param from the heap of the realm that would start the thread */
export async function secondRealm(from: Heap): Promise<Heap & Arrays & { thread: number }> {
  vi.resetModules();
  const heap = await import('../../src/core/memory/heap.js');
  const arrays = await import('../../src/core/memory/shared-array.js');
  const handle = from.heapHandle();
  heap.adoptHeap(handle);
  return { ...heap, ...arrays, thread: handle.thread };
}
