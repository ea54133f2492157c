/** The messages that a call has on their way to the server: so many at the same time, and the next ones in their turn. */

/** Messages under way at the same time. */
const MOST = 256;

export class PublishWindow {
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #turns: (() => void)[] = [];

  get isFull(): boolean {
    return this.#underWay.size >= MOST;
  }

  /** Resolves when there is room for one more. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#turns.push(resolve));
  }

  /** Counts a message until the server has it, or has refused it. @returns settles as the message does */
  async send(sending: Promise<void>): Promise<void> {
    const sent = sending.catch(() => {});
    this.#underWay.add(sent);
    try {
      await sending;
    } finally {
      this.#underWay.delete(sent);
      this.#turns.shift()?.();
    }
  }

  /** Lets all go on that wait for their turn: their call is cancelled. */
  release(): void {
    for (const turn of this.#turns.splice(0)) turn();
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
