import { RecursiveTask } from 'furcate';

export declare class PrimeSum extends RecursiveTask<number> {
  constructor(lo: number, hi: number);
}
