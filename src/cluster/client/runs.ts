/** The runs that a client's calls belong to, each with the feed of its results for as long as a call needs it. */
import { RejectedExecutionError } from 'furcate';
import { answer } from '../link/arrived.js';
import type { Link } from '../link/link.js';
import { runOfClient, token } from '../link/names.js';
import type { Cleaner } from './cleaner.js';
import { ResultFeed } from './result-feed.js';

/** A run, as a call has it. */
export interface NamedRun {
  /** As it is in subjects. */
  readonly name: string;
  readonly feed: ResultFeed;
  /** Resolves when the feed reads. */
  readonly ready: Promise<void>;
}

export class ClientRuns {
  readonly #link: Link;
  readonly #cleaner: Cleaner;
  /** The run of all calls that name none. */
  readonly #ownName = runOfClient(crypto.randomUUID());
  #own: NamedRun | undefined;
  /** Named runs that a call uses. */
  readonly #used = new Map<string, NamedRun>();
  /** Of named runs that no call uses any more: resolves when what their last call has left is deleted. */
  readonly #cleared = new Map<string, Promise<unknown>>();

  constructor(link: Link, cleaner: Cleaner) {
    this.#link = link;
    this.#cleaner = cleaner;
  }

  /** Lets hosts see that this client lives. @throws Error where the server does not permit it */
  async showLife(): Promise<void> {
    await this.#link.mustHear(this.#link.names.client(this.#ownName), (message) => answer(message));
  }

  /** @param call the name of the call in its run. @throws RejectedExecutionError where another call uses the id */
  enter(id: string | undefined, call: string): NamedRun {
    if (id === undefined) return this.#enterOwn();
    const name = token(id);
    if (this.#used.has(name))
      throw new RejectedExecutionError(
        `furcate: another call of this cluster uses options.run = '${id}'. Await that call first, or give each an id of its own.`,
      );
    const feed = this.#newFeed(name);
    const ready = (async () => {
      await this.#cleared.get(name);
      await this.#cleaner.settled(name);
      // A server that was killed may have brought back what the last call had deleted. Results belong to one call.
      if (this.#cleaner.knows(name)) await this.#cleaner.clean({ run: name, call });
      await feed.start();
    })();
    const run = { name, feed, ready };
    this.#used.set(name, run);
    return run;
  }

  /** @param cleared resolves when what the call has left is deleted. @returns resolves when nothing is left of the call */
  async leave({ name, feed }: NamedRun, cleared: Promise<void>): Promise<void> {
    if (name === this.#ownName) return cleared;
    const all = Promise.all([cleared, feed.stop()]);
    this.#used.delete(name);
    this.#cleared.set(name, all);
    await all;
    if (this.#cleared.get(name) === all) this.#cleared.delete(name);
  }

  /** The feeds that read. */
  get feeds(): ResultFeed[] {
    return [this.#own, ...this.#used.values()].flatMap((run) => (run === undefined ? [] : [run.feed]));
  }

  #newFeed(run: string): ResultFeed {
    return new ResultFeed(this.#link, run, (call) => this.#cleaner.stray({ run, call }));
  }

  #enterOwn(): NamedRun {
    if (this.#own !== undefined) return this.#own;
    const feed = this.#newFeed(this.#ownName);
    const run: NamedRun = { name: this.#ownName, feed, ready: feed.start() };
    run.ready.catch(() => {
      if (this.#own === run) this.#own = undefined; // the next call tries again
    });
    this.#own = run;
    return run;
  }
}
