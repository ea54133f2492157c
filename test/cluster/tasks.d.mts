import { type AsyncForkable, type Forkable, RecursiveTask } from 'furcate';
import type { HostFunction } from 'furcate/cluster';

export declare class Sum extends RecursiveTask<number> {
  constructor(lo: number, hi: number);
  compute(): number;
}
export declare const square: Forkable<[x: number], number>;
export declare const later: AsyncForkable<[x: unknown, ms: number], unknown>;
export declare const textOf: Forkable<[length: number], string>;
export declare const where: HostFunction<number, string>;
export declare const fails: HostFunction<string, never>;
export declare const sumOf: HostFunction<number, number>;
export declare const meet: HostFunction<readonly [folder: string, hosts: number], string>;
export declare const runsUntilAborted: HostFunction<string, void>;
export declare const counted: HostFunction<readonly [folder: string, k: number], number>;
export declare const countedSlowly: HostFunction<readonly [folder: string, k: number], number>;
export declare const fraction: HostFunction<number, number>;
export declare const itself: HostFunction<unknown, unknown>;
export declare const gated: HostFunction<readonly [folder: string, k: number], readonly [k: number, host: string]>;
export declare const kills: HostFunction<undefined, never>;
export declare const endsWorker: Forkable<[folder: string], never>;
export declare const blocks: HostFunction<readonly [folder: string, ms: number], void>;
export declare class Fractions extends RecursiveTask<number> {
  readonly lo: number;
  constructor(lo: number, hi: number, folder: string);
  compute(): number;
}
export declare class Careless extends Fractions {}
export declare const pause: Forkable<[ms: number], number>;
export declare class Uneven extends RecursiveTask<number> {
  constructor(lo: number, hi: number, meeting: { folder: string; hosts: number });
  compute(): number;
}
export declare class Skewed extends RecursiveTask<number> {
  static readonly NUMBERS: number;
  constructor(lo: number, hi: number);
  compute(): number;
}
export declare const deaf: HostFunction<string, never>;
export declare const spins: Forkable<[folder: string], never>;
export declare class Chain extends RecursiveTask<number> {
  constructor(lo: number, hi: number);
  compute(): number;
}
export declare const deafens: HostFunction<void, void>;
export declare const throwsLater: HostFunction<string, void>;
export declare const memory: HostFunction<string | undefined, NodeJS.MemoryUsage>;
export declare const objects: Forkable<[], number>;
export declare const unreadable: HostFunction<string, unknown>;
