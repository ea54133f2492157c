/** In each step the pull of all bodies on each, then the movement of all (leapfrog). */
import type { Bodies } from './config.js';

/** The pull on the bodies lo to hi - 1. */
export function pullOn(lo: number, hi: number, _step: number, { n, softening, mass, at, pull }: Bodies): void {
  for (let i = lo; i < hi; i++) {
    const [x, y, z] = [at[i], at[n + i], at[2 * n + i]];
    let [ax, ay, az] = [0, 0, 0];
    for (let j = 0; j < n; j++) {
      const dx = at[j] - x;
      const dy = at[n + j] - y;
      const dz = at[2 * n + j] - z;
      const squares = dx * dx + dy * dy + dz * dz + softening;
      const force = mass[j] / (squares * Math.sqrt(squares));
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
    }
    pull[i] = ax;
    pull[n + i] = ay;
    pull[2 * n + i] = az;
  }
}

/** Moves all bodies; `pull` is that of the places in the middle of the step. */
export function halfStep({ at, speed, dt }: Bodies): void {
  for (let i = 0; i < at.length; i++) at[i] += (dt / 2) * speed[i];
}

export function accelerate({ speed, pull, dt }: Bodies): void {
  for (let i = 0; i < speed.length; i++) speed[i] += dt * pull[i];
}

export function sequential(bodies: Bodies): void {
  for (let step = 0; step < bodies.steps; step++) {
    halfStep(bodies);
    pullOn(0, bodies.n, step, bodies);
    accelerate(bodies);
    halfStep(bodies);
  }
}
