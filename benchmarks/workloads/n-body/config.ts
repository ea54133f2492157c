/** Bodies that attract each other, in steps: every body meets every other one. */
import { randomNumbers } from '../random.js';
import type { Config, Make } from '../workload.js';

export interface Bodies {
  readonly n: number;
  readonly steps: number;
  readonly dt: number;
  /** Keeps the pull of close bodies finite. */
  readonly softening: number;
  readonly mass: Float64Array;
  /** Places, speeds and accelerations: x of all bodies, then y of all, then z of all. */
  readonly at: Float64Array;
  readonly speed: Float64Array;
  readonly pull: Float64Array;
}

const SOFTENING = 0.01;

/** The same steps, but the pull of each pair is computed once, for both of its bodies; returns the places after the last step. */
function byPairs({ n, steps, dt, mass, at, speed }: Bodies): Float64Array {
  for (let step = 0; step < steps; step++) {
    for (let k = 0; k < 3 * n; k++) at[k] += (dt / 2) * speed[k];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        const [dx, dy, dz] = [at[j] - at[i], at[n + j] - at[n + i], at[2 * n + j] - at[2 * n + i]];
        const force = dt * (dx ** 2 + dy ** 2 + dz ** 2 + SOFTENING) ** -1.5;
        speed[i] += mass[j] * force * dx;
        speed[n + i] += mass[j] * force * dy;
        speed[2 * n + i] += mass[j] * force * dz;
        speed[j] -= mass[i] * force * dx;
        speed[n + j] -= mass[i] * force * dy;
        speed[2 * n + j] -= mass[i] * force * dz;
      }
    }
    for (let k = 0; k < 3 * n; k++) at[k] += (dt / 2) * speed[k];
  }
  return at;
}

function start({ n, mass, at, speed, pull }: Bodies): void {
  const random = randomNumbers(10);
  mass.fill(1 / n);
  pull.fill(0);
  for (let i = 0; i < 3 * n; i++) {
    at[i] = 2 * random() - 1;
    speed[i] = random() - 0.5;
  }
}

const places = new WeakMap<Bodies, Float64Array>();

export const config: Config<{ n: number; steps: number }, Bodies, void> = {
  what: 'every body meets every other one; checked by pairs, whose pulls are opposite',
  sizes: { '2000 bodies, 10 steps': { n: 2000, steps: 10 } },
  small: { n: 50, steps: 5 },
  open({ n, steps }, make: Make) {
    const [at, speed, pull] = [0, 1, 2].map(() => make(Float64Array, 3 * n));
    const bodies = { n, steps, dt: 0.001, softening: SOFTENING, mass: make(Float64Array, n), at, speed, pull };
    start(bodies);
    return bodies;
  },
  restore: start,
  answer(bodies) {
    const { n, at } = bodies;
    if (!places.has(bodies)) {
      const [mass, own, speed, pull] = [n, 3 * n, 3 * n, 3 * n].map((length) => new Float64Array(length));
      const fresh = { ...bodies, mass, at: own, speed, pull };
      start(fresh);
      places.set(bodies, byPairs(fresh));
    }
    const right = places.get(bodies)!;
    const error = at.reduce((most, x, k) => Math.max(most, Math.abs(x - right[k])), 0);
    return error < 1e-12 ? 'right' : `an error of ${error}`;
  },
  expected: () => 'right',
};
