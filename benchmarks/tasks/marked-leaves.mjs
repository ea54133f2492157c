// A tree of busy leaves that note when they end, to show what runs at an abort and after it.
import { RecursiveAction } from 'furcate';
import { busy } from './flat.mjs';

/** Milliseconds on a clock that all threads of a process share. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

export class MarkedLeaves extends RecursiveAction {
  static {
    this.register(import.meta.url, 'MarkedLeaves');
  }

  /** When each leaf ended, 0 if it has not: a shared Float64Array. */
  endsMs;
  lo;
  hi;
  iterations;

  constructor(endsMs, lo, hi, iterations) {
    super();
    this.endsMs = endsMs;
    this.lo = lo;
    this.hi = hi;
    this.iterations = iterations;
  }

  compute() {
    const { endsMs, lo, hi, iterations } = this;
    if (hi - lo === 1) {
      busy(iterations, lo);
      endsMs[lo] = nowMs();
      return;
    }
    const middle = (lo + hi) >>> 1;
    const left = new MarkedLeaves(endsMs, lo, middle, iterations).fork();
    new MarkedLeaves(endsMs, middle, hi, iterations).compute();
    left.join();
  }
}
