/** Who does a work in JavaScript: a plain loop, Furcate, bare workers, and pools that send messages; runs in lanes. */
import type { TypedArrayConstructor } from 'furcate';
import { PART_DOERS, type Part, type PartDoer } from './pools.js';
import { type Make, type Opened, WORKS } from './works.js';

export const THREADS = 2;

/** All that run in a lane. */
export const SYSTEMS: readonly string[] = ['plain', 'furcate', ...Object.keys(PART_DOERS)];

const ordinary = ((Type: new (n: number) => unknown, n: number) => new Type(n)) as Make;
const onSharedBuffer = ((Type: TypedArrayConstructor, n: number) =>
  new Type(new SharedArrayBuffer(n * Type.BYTES_PER_ELEMENT))) as unknown as Make;

/** A work as one system does it. */
export interface Candidate {
  prepare(): void;
  /** Does the work once, and gives its number. */
  call(): number | Promise<number>;
  /** To be called after it, when the clock has stopped. */
  isRight(): boolean;
  close(): unknown;
}

const checksOf = (data: Opened) => ({ prepare: () => data.prepare?.(), isRight: () => data.isRight?.() !== false });

/**
 * @param share of the elements that the native programs work on
 * @returns undefined for a work that the system has no way to do
 */
export async function open(work: string, system: string, share: number): Promise<Candidate | undefined> {
  const opened = WORKS[work];
  if (system === 'plain') {
    const data = opened(ordinary, share);
    return { ...checksOf(data), call: () => data.plain(), close() {} };
  }
  if (system === 'furcate') {
    const { ForkJoinPool, sharedArray } = await import('furcate');
    const data = opened(sharedArray as Make, share);
    const pool = new ForkJoinPool({ parallelism: THREADS });
    return { ...checksOf(data), call: () => data.furcate(pool), close: () => pool.close() };
  }
  const data: Opened = opened(onSharedBuffer, share);
  if (data.parts === undefined) return undefined;
  const { part, combine } = data.parts;
  let pool: PartDoer | undefined;
  return {
    ...checksOf(data),
    async call() {
      pool ??= PART_DOERS[system](THREADS); // the first call starts the threads, as it does ours
      const doer = pool;
      const given: Part = { ...part, counter: new Int32Array(new SharedArrayBuffer(4)) };
      return combine(await Promise.all(Array.from({ length: THREADS }, () => doer.part(given))));
    },
    close: () => pool?.close(),
  };
}
