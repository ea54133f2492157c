import type { RecursiveAction } from 'furcate';

export declare function nowMs(): number;
export declare class MarkedLeaves extends RecursiveAction {
  constructor(endsMs: Float64Array, lo: number, hi: number, iterations: number);
  compute(): void;
}
