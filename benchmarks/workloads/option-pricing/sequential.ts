/** Adds up what the option is worth at the end of each walk. */
import { type RandomStream, randomStreams } from 'furcate';
import { OPTION, SEED, STEPS } from './config.js';

/** What the option is worth at the end of a walk. */
export function worthOf(random: RandomStream): number {
  const { price, strike, rate, volatility, years } = OPTION;
  const dt = years / STEPS;
  let log = Math.log(price);
  for (let step = 0; step < STEPS; step++) {
    log += (rate - volatility ** 2 / 2) * dt + volatility * Math.sqrt(dt) * random.normal();
  }
  return Math.max(0, Math.exp(log) - strike);
}

export const priceOf = (walks: number, sum: number): number => (Math.exp(-OPTION.rate * OPTION.years) * sum) / walks;

export function sequential(walks: number): number {
  const random = randomStreams(SEED);
  let sum = 0;
  for (let walk = 0; walk < walks; walk++) sum += worthOf(random.stream(walk));
  return priceOf(walks, sum);
}
