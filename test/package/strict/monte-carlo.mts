/** The price of an option by simulation: the mean of what a million random paths pay, and how far off it may be. */
import { parallelReduceRange, randomStreams } from 'furcate';

export interface Estimate {
  readonly mean: number;
  readonly error: number;
}

interface Sums {
  readonly sum: number;
  readonly squares: number;
}

export async function price(paths: number, seed: number): Promise<Estimate> {
  const market = { spot: 100, strike: 105, rate: 0.02, deviation: 0.3, years: 1, steps: 4 };
  const { sum, squares } = await parallelReduceRange(
    paths,
    (a: Sums, b: Sums) => ({ sum: a.sum + b.sum, squares: a.squares + b.squares }),
    { sum: 0, squares: 0 },
    {
      context: { market, random: randomStreams(seed) },
      map: (i, { market: { spot, strike, rate, deviation, years, steps }, random }) => {
        const stream = random.stream(i);
        const dt = years / steps;
        let logarithm = Math.log(spot);
        for (let k = 0; k < steps; k++)
          logarithm += (rate - deviation ** 2 / 2) * dt + deviation * Math.sqrt(dt) * stream.normal();
        const paid = Math.exp(-rate * years) * Math.max(0, Math.exp(logarithm) - strike);
        return { sum: paid, squares: paid ** 2 };
      },
    },
  );
  const mean = sum / paths;
  return { mean, error: Math.sqrt((squares / paths - mean ** 2) / paths) };
}
