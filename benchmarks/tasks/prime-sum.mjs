// A tree that computes: much arithmetic, little memory; and its bits depend on the order of its additions.
import { RecursiveTask } from 'furcate';

/** The sum of 1/p over the primes p of [lo, hi). */
export class PrimeSum extends RecursiveTask {
  static {
    this.register(import.meta.url, 'PrimeSum');
  }
  constructor(lo, hi) {
    super();
    this.lo = lo;
    this.hi = hi;
  }
  split() {
    if (this.hi - this.lo < 1000) return undefined;
    const middle = (this.lo + this.hi) >>> 1;
    return [new PrimeSum(this.lo, middle), new PrimeSum(middle, this.hi)];
  }
  combine([left, right]) {
    return left + right;
  }
  compute() {
    const parts = this.split();
    if (parts !== undefined) {
      const [left, right] = parts;
      right.fork();
      const first = left.compute();
      return this.combine([first, right.join()]);
    }
    let sum = 0;
    for (let n = Math.max(2, this.lo); n < this.hi; n++) {
      let isPrime = true;
      for (let d = 2; d * d <= n && isPrime; d++) isPrime = n % d !== 0;
      if (isPrime) sum += 1 / n;
    }
    return sum;
  }
}
