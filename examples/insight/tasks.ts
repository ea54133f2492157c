/** A program whose parts are uneven: the longest Collatz sequence below a bound; runs on all threads. */
import { fork, forkable, join } from 'furcate';
import { charge } from 'furcate/insight';

/** How many steps a number takes to 1. */
function collatzSteps(n: number): number {
  let steps = 0;
  for (let k = n; k !== 1; steps++) k = k % 2 === 0 ? k / 2 : 3 * k + 1;
  return steps;
}

/** The longest Collatz sequence of numbers from `lo` up to `hi`, halves being forked down to `least` numbers. */
export const longest = forkable(import.meta.url, 'longest', (lo: number, hi: number, least: number): number => {
  if (hi - lo <= least) {
    let best = 0;
    let all = 0;
    for (let n = lo; n < hi; n++) {
      const steps = collatzSteps(n);
      all += steps;
      best = Math.max(best, steps);
    }
    charge(all);
    return best;
  }
  const middle = lo + Math.ceil((hi - lo) / 4); // uneven: the second part is three times as long
  const first = fork(longest, lo, middle, least);
  const rest = longest(middle, hi, least);
  return Math.max(join(first), rest);
});
