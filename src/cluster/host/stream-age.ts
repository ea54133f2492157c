/**
 * Identity of the stream of jobs that a host serves. Numbers of messages, and so what acknowledges them, mean something in one stream only: a server
 * that comes back without its store makes another one, in which the same number is another job.
 */
import type { Link } from '../link/link.js';

/** Time between two questions to a server that does not tell of the stream (milliseconds): it may have been deleted. */
const RETRY_MS = 1000;

export class StreamAge {
  readonly #link: Link;
  /** Creation time of the stream. */
  #created = '';
  #isKnown = true;
  #known: Promise<void> = Promise.resolve();
  #learnt = (): void => {};
  /** Time of the last connection (milliseconds). */
  connectedMs = performance.now();

  private constructor(link: Link) {
    this.#link = link;
    link.onDisconnect(() => this.#forget());
    link.onReconnect(() => {
      this.#forget(); // the streams may have been made again although the connection was there
      this.connectedMs = performance.now();
      void this.#learn();
    });
  }

  static async of(link: Link): Promise<StreamAge> {
    const age = new StreamAge(link);
    await age.#learn();
    return age;
  }

  /** Connections so far. */
  get connections(): number {
    return this.#link.connections;
  }

  /** The stream as far as it is known. */
  get name(): string {
    return this.#created;
  }

  /** Checks whether the server has the same stream still. Waits while the connection is lost. */
  async isStill(name: string): Promise<boolean> {
    await this.#known;
    return this.#created === name;
  }

  #forget(): void {
    if (!this.#isKnown) return; // those who wait for the last connection wait on
    this.#isKnown = false;
    this.#known = new Promise((resolve) => {
      this.#learnt = resolve;
    });
  }

  /** Goes on until the server has answered: jobs that have ended wait for it. */
  async #learn(): Promise<void> {
    const { manager, names, connection } = this.#link;
    const { connections } = this;
    const answered = (): Promise<string | undefined> =>
      this.#link
        .patiently(() => manager.streams.info(names.jobs))
        .then(
          ({ created }) => created,
          () => undefined,
        );
    let created = await answered();
    while (created === undefined && connections === this.connections && !connection.isClosed()) {
      void this.#link.restore();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      created = await answered();
    }
    if (created === undefined || connections !== this.connections) return; // the next connection learns it
    this.#created = created;
    this.#isKnown = true;
    this.#learnt();
  }
}
