/** Looks whether hosts are idle while a call has jobs that others could share with them, or that wait for others, and lets the call see to it. */
import type { Link } from '../link/link.js';
import type { ClusterCall } from './call.js';

/** Time between two looks, while a call has such jobs (milliseconds). */
const LOOK_MS = 100;

export class Sharing {
  readonly #link: Link;
  readonly #calls = new Set<ClusterCall>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Watches a call. @returns ends that */
  watch(call: ClusterCall): () => void {
    this.#calls.add(call);
    this.#timer ??= setTimeout(() => void this.#looks(), LOOK_MS);
    return () => this.#calls.delete(call);
  }

  async #looks(): Promise<void> {
    await this.#look().catch(() => {}); // the connection is closed, which ends the calls
    this.#timer = this.#calls.size === 0 ? undefined : setTimeout(() => void this.#looks(), LOOK_MS);
  }

  async #look(): Promise<void> {
    const calls = [...this.#calls].filter(({ isShareable, isPlaced }) => isShareable || isPlaced);
    const idle = calls.length === 0 ? 0 : await this.#idleHosts();
    const placed = calls.filter(({ hasWaited }) => hasWaited);
    if (placed.length > 0) {
      const alive = new Set(
        (await this.#link.who()).flatMap(({ name, version }) => (version === this.#link.names.version ? [name] : [])),
      );
      await Promise.all(placed.map((call) => call.spread(idle, alive)));
    }
    if (idle > 0) for (const call of calls) call.share(idle);
  }

  /** Hosts that wait while no job does: all jobs that are not done are being run by others. */
  async #idleHosts(): Promise<number> {
    try {
      const { num_pending: queued, num_waiting: waiting } = await this.#link.consumer();
      return queued === 0 ? waiting : 0;
    } catch {
      return 0; // the server is away
    }
  }
}
