/** Limits the jobs that a client may have at the server: later ones wait in its own memory, in their order. */
export class Quota {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #count = 0;

  /** @param most may be infinite */
  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when one more job may be submitted. */
  async enter(): Promise<void> {
    if (this.#count >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#count++;
  }

  /** One job is there no more; the next one has its place. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#count--;
    else next();
  }
}
