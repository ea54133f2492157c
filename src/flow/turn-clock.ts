/** A clock of loops that could go on without an end: it says when the event loop is due, so that timers, sockets and requests to cancel come through. */
import { host } from '../core/engine.js';
import { TURN_MS } from '../core/tuning.js';

export class TurnClock {
  #atMs = host().nowMs();

  /** True once `TURN_MS` have passed since the event loop had its turn. */
  get isDue(): boolean {
    return host().nowMs() - this.#atMs >= TURN_MS;
  }

  /** Notes that the event loop has had its turn. */
  restart(): void {
    this.#atMs = host().nowMs();
  }
}
