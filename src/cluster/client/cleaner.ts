/**
 * Deletes what calls leave: jobs that no host needs to run, and results that nobody reads.
 *
 * One purge does not suffice. The server may be away when a call ends, a host may publish a result later, and a server that was killed may bring back what
 * it had deleted in the last two minutes. So the cleaner goes on until the server has answered, and looks again at each reconnection, and where a
 * result of a call is seen that has ended.
 */
import type { Link } from '../link/link.js';
import { type CallName, nameIn } from '../link/names.js';

/** Runs whose calls have ended that are looked for after a reconnection. */
const MOST_RUNS = 1000;
/** Time for which results of ended calls are collected before they are deleted (milliseconds). */
const STRAY_MS = 200;

export class Cleaner {
  readonly #link: Link;
  readonly #isLive: (name: CallName) => boolean;
  /** Runs of which a call has ended. */
  readonly #runs = new Set<string>();
  readonly #strays = new Map<string, CallName>();
  /** Cleaning that is under way, by runs. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param isLive whether a call of that name goes on */
  constructor(link: Link, isLive: (name: CallName) => boolean) {
    this.#link = link;
    this.#isLive = isLive;
    link.onReconnect(() => void this.#lookAgain().catch(() => {})); // at the next reconnection, then
  }

  /** Returns true if this client has ended a call of the run, whose messages may have come back. */
  knows(run: string): boolean {
    return this.#runs.has(run);
  }

  /**
   * Deletes what a call has left.
   *
   * Hosts that may run jobs of it hear of the end once no job waits: where it was cancelled, and after an outage, by which the server may have given a job
   * to two hosts that know nothing of each other.
   *
   * @param options `connections`: how many the link had had when the call began
   * @returns resolves when the server has done so, or the link is closed
   */
  clean(
    name: CallName,
    options: { readonly isCancelled?: boolean; readonly connections?: number } = {},
  ): Promise<void> {
    const { run } = name;
    this.#remember(run);
    const cleaned = this.#clean(name, options);
    const all = Promise.all([this.#underWay.get(run), cleaned]);
    this.#underWay.set(run, all);
    void all.then(() => {
      if (this.#underWay.get(run) === all) this.#underWay.delete(run);
    });
    return cleaned;
  }

  /** Resolves when nothing of the run is being deleted: a later call of the same name would lose what it has submitted. */
  async settled(run: string): Promise<void> {
    while (this.#underWay.has(run)) await this.#underWay.get(run);
  }

  async #clean(name: CallName, { isCancelled = false, connections = this.#link.connections }): Promise<void> {
    const { manager, names, connection } = this.#link;
    const purge = (stream: string, filter: string): Promise<unknown> =>
      this.#link.patiently(() => manager.streams.purge(stream, { filter }));
    try {
      await purge(names.jobs, names.jobsOf(name));
      const mayRun = isCancelled || connections !== this.#link.connections;
      if (mayRun && !connection.isClosed()) connection.publish(names.cancel(name.run, name.call));
      await purge(names.results, names.resultsOf(name));
    } catch {
      // The link is closed, or the server refuses it: what is left goes by itself, later.
    }
  }

  /** A result of a call was seen that has ended. */
  stray(name: CallName): void {
    this.#strays.set(`${name.run}.${name.call}`, name);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const names = [...this.#strays.values()];
      this.#strays.clear();
      for (const one of names) if (!this.#isLive(one)) void this.clean(one);
    }, STRAY_MS);
    this.#timer.unref();
  }

  #remember(run: string): void {
    this.#runs.delete(run);
    this.#runs.add(run);
    const [oldest] = this.#runs;
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest);
  }

  async #lookAgain(): Promise<void> {
    const { manager, names } = this.#link;
    const runs = [...this.#runs]; // what is cleaned moves to the end, and the server may list what it cannot delete
    for (const run of runs) {
      const filters = [
        [names.jobs, names.jobsOf({ run, call: '*' })],
        [names.results, names.resultsOf({ run, call: '*' })],
      ] as const;
      const left = new Map<string, CallName>();
      for (const [stream, subjects_filter] of filters) {
        const { state } = await this.#link.patiently(() => manager.streams.info(stream, { subjects_filter }));
        for (const subject of Object.keys(state.subjects ?? {})) {
          const name = nameIn(subject);
          left.set(name.call, { run: name.run, call: name.call });
        }
      }
      for (const name of left.values()) if (!this.#isLive(name)) await this.clean(name, { isCancelled: true });
    }
  }
}
