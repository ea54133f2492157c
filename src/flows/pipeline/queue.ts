/** First in, first out: an array's `shift` takes as long as the array. */
export class Queue<T> {
  #items: T[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#taken] as T;
    this.#items[this.#taken++] = undefined as T;
    if (this.#taken > 1024 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  /** Takes all. */
  clear(): T[] {
    const left = this.#items.slice(this.#taken);
    this.#items = [];
    this.#taken = 0;
    return left;
  }
}
