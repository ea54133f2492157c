/**
 * Which stream of jobs a host serves. Numbers of messages, and so what acknowledges them, mean something in one stream only: a server that comes back
 * without its store makes another one, in which the same number is another job.
 */
import type { Link } from '../link/link.js';

export class StreamAge {
  readonly #link: Link;
  /** When the stream was made. */
  #created = '';
  #isKnown = true;
  #known: Promise<void> = Promise.resolve();
  #learnt = (): void => {};
  /** Connections so far, and when the last one was made (milliseconds). */
  connections = 1;
  connectedMs = performance.now();

  private constructor(link: Link) {
    this.#link = link;
    link.onDisconnect(() => {
      if (!this.#isKnown) return; // those who wait for the last connection wait on
      this.#isKnown = false;
      this.#known = new Promise((resolve) => {
        this.#learnt = resolve;
      });
    });
    link.onReconnect(() => {
      this.connections++;
      this.connectedMs = performance.now();
      void this.#learn().catch(() => {}); // the link is closed
    });
  }

  static async of(link: Link): Promise<StreamAge> {
    const age = new StreamAge(link);
    await age.#learn();
    return age;
  }

  /** The stream as far as it is known. */
  get name(): string {
    return this.#created;
  }

  /** Whether the server has the same stream still. Waits while the connection is lost. */
  async isStill(name: string): Promise<boolean> {
    await this.#known;
    return this.#created === name;
  }

  async #learn(): Promise<void> {
    const { manager, names } = this.#link;
    const { connections } = this;
    const { created } = await this.#link.patiently(() => manager.streams.info(names.jobs));
    if (connections !== this.connections) return; // the next connection learns it
    this.#created = created;
    this.#isKnown = true;
    this.#learnt();
  }
}
