/** The price of an option to buy, by simulated prices of its share; the formula of Black and Scholes (1973) gives it, too. */
import type { Config } from '../workload.js';

export const OPTION = { price: 100, strike: 105, rate: 0.03, volatility: 0.2, years: 1 };
/** Steps of a simulated price, as options need that depend on its way. */
export const STEPS = 16;
export const SEED = 2026;

/** The distribution function of the normal distribution (Abramowitz and Stegun 7.1.26; error below 1.5e-7). */
function normal(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (series * Math.exp((-x * x) / 2)) / 2;
  return x > 0 ? 1 - tail : tail;
}

export const config: Config<number, number, number> = {
  what: 'random walks, the same on each thread; checked by the formula of Black and Scholes',
  sizes: { '200k walks': 200_000 },
  small: 2000,
  open: (walks) => walks,
  answer(walks, found) {
    const { price, strike, rate, volatility, years } = OPTION;
    const d = (Math.log(price / strike) + (rate + volatility ** 2 / 2) * years) / (volatility * Math.sqrt(years));
    const right = price * normal(d) - strike * Math.exp(-rate * years) * normal(d - volatility * Math.sqrt(years));
    // Results of an option scatter by some 13 around the price; four standard errors.
    return Math.abs(found - right) < (4 * 13) / Math.sqrt(walks) ? 'right' : `${found}, and not ${right}`;
  },
  expected: () => 'right',
};
