/**
 * The shared memory of a model: words that can be taken back, and a hash of all of them that is kept up to date.
 *
 * The checked code is handed typed arrays on a buffer that stays zero: only the seam reads and writes these words, so an
 * access that bypasses the seam reads nonsense, and a write that does is found (`assertUntouched`).
 */

/** A good mix of two numbers into 32 bits (the finalizer of MurmurHash3). */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export class ModelWords {
  /** What the checked code believes to be its memory. */
  readonly decoy: ArrayBuffer;
  readonly cells: Int32Array;
  readonly #doubles: Float64Array;
  readonly #places: number[] = [];
  readonly #before: number[] = [];
  /** Two hashes of all words, each 32 bits. */
  low = 0;
  high = 0;

  constructor(count: number) {
    this.decoy = new ArrayBuffer(4 * count);
    this.cells = new Int32Array(count);
    this.#doubles = new Float64Array(this.cells.buffer);
  }

  /** A point that `rewind` can go back to. */
  get mark(): number {
    return this.#places.length;
  }

  write(at: number, value: number): void {
    const before = this.cells[at];
    if (before === value) return;
    this.#places.push(at);
    this.#before.push(before);
    this.#set(at, value);
  }

  #set(at: number, value: number): void {
    const before = this.cells[at];
    this.low ^= mix(at, before) ^ mix(at, value);
    this.high ^= mix(before, ~at) ^ mix(value, ~at);
    this.cells[at] = value;
  }

  readDouble(at: number): number {
    return this.#doubles[at >> 1];
  }

  writeDouble(at: number, value: number): void {
    const words = new Int32Array(new Float64Array([value]).buffer);
    this.write(at, words[0]);
    this.write(at + 1, words[1]);
  }

  rewind(mark: number): void {
    while (this.#places.length > mark) this.#set(this.#places.pop() as number, this.#before.pop() as number);
  }

  /** @throws Error when something wrote to the decoy: an access that the seam does not see */
  assertUntouched(): void {
    const at = new Int32Array(this.decoy).findIndex((word) => word !== 0);
    if (at >= 0) throw new Error(`word ${at} was written past the seam`);
  }
}
