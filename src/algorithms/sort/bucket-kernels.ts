/**
 * The WebAssembly kernels of a sort by buckets, with names for what they are told; runs on every thread that computes.
 */
import type { KernelExports } from '../kernels/wasm-kernels.js';
import { kernels } from '../kernels/wasm-kernels.js';

/** What all buckets of a sort have in common. */
export interface BucketOrder {
  readonly bits: 32 | 64;
  /** The kernels' number of the elements' order. */
  readonly kind: number;
  /** Address of the thread's counters. */
  readonly counters: number;
}

/** Where the parts of a bucket are among the elements of all chunks. */
export interface Parts {
  /** Address of where each part ends: one word a chunk. */
  readonly ends: number;
  readonly chunks: number;
  /** Elements of all parts. */
  readonly count: number;
}

/** Addresses for sorting a bucket: what it is collected from, rooms for two copies, and where it goes. */
export interface Route {
  readonly from: number;
  readonly near: number;
  readonly far: number;
  readonly out: number;
}

/** What chooses the buckets of a range. */
export interface BucketPlan {
  /** Address of the range, and its elements. */
  readonly from: number;
  readonly count: number;
  /** About how many buckets, and the logarithm of how many elements tell where they begin. */
  readonly wanted: number;
  readonly sampleBits: number;
  /** Addresses of what is found, and of room for the sample. */
  readonly frame: number;
  readonly table: number;
  readonly widths: number;
  readonly sample: number;
}

/** The kernels for elements of so many bits, looked up once: there are thousands of buckets. */
export function bucketKernels({ bits, kind, counters }: BucketOrder) {
  const all = kernels() as KernelExports;
  const plan = all[`plan${bits}`];
  const sort = all[`sort${bits}`];
  const sortPairs = all[`sortPairs${bits}`];
  const gather = all[`gather${bits}`];
  const gatherPairs = all[`gatherPairs${bits}`];
  return {
    classify: all[`classify${bits}`],
    openPlaces: all.openPlaces,
    scatter: all[`scatter${bits}`],
    scatterPairs: all[`scatterPairs${bits}`],
    turnPlaces: all.turnPlaces,

    plan(p: BucketPlan): void {
      plan(p.from, p.count, kind, p.wanted, p.sampleBits, p.frame, p.table, p.widths, p.sample);
    },

    /** Sorts elements by the lower `width` bits of their keys, all above being equal; of pairs the indices go to their place. */
    sort({ ends, chunks, count }: Parts, width: number, { from, near, far, out }: Route, pairs?: Route): void {
      const stride = 4 * chunks;
      if (pairs === undefined) sort(from, ends, stride, chunks, count, near, far, out, kind, width, counters);
      else {
        const { from: f, near: n, far: r, out: o } = pairs;
        sortPairs(from, ends, stride, chunks, count, near, far, out, kind, width, counters, f, n, r, o);
      }
    },

    /** Collects elements at `out`, and their indices at `pairs.out`; returns whether keys differ. */
    gather({ ends, chunks }: Parts, from: number, out: number, pairs?: Pick<Route, 'from' | 'out'>): number {
      const stride = 4 * chunks;
      if (pairs === undefined) return gather(from, ends, stride, chunks, out, kind);
      return gatherPairs(from, ends, stride, chunks, out, kind, pairs.from, pairs.out);
    },
  };
}
