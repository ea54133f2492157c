/** How fast this machine is at `crunch`, so that its calls can be made as long as a benchmark needs them; runs on the main thread. */
import { median } from '../harness/median.js';
import { crunch } from '../tasks/crunch.mjs';

/** How many rounds of the loop take a microsecond. */
export function roundsPerUs(): number {
  const rounds = 100_000;
  const rates = Array.from({ length: 200 }, (_, id) => {
    const start = performance.now();
    crunch({ id, name: '', rounds });
    return rounds / ((performance.now() - start) * 1000);
  });
  return median(rates.slice(100)); // the first ones are not compiled yet
}
