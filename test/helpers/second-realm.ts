/** A second copy of the shared heap's modules on the same memory: another realm, as far as the heap can tell. */
import { vi } from 'vitest';

type Heap = typeof import('../../src/core/memory/heap.js');
type Arrays = typeof import('../../src/core/memory/shared-array.js');
type Arenas = typeof import('../../src/core/memory/arena.js');

/** @param from the heap of the realm that would start the thread */
export async function secondRealm(from: Heap): Promise<Heap & Arrays & Arenas & { thread: number }> {
  vi.resetModules();
  const heap = await import('../../src/core/memory/heap.js');
  const arrays = await import('../../src/core/memory/shared-array.js');
  const arenas = await import('../../src/core/memory/arena.js');
  const handle = from.currentHeap().handle();
  heap.adoptHeap(handle);
  return { ...heap, ...arrays, ...arenas, thread: handle.thread };
}
