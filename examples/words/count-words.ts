/**
 * The task that counts the words of a text. It splits the text into halves, down to parts that one thread counts alone, and merges
 * their counts. Workers import this module.
 */
import { free, RecursiveTask, sharedArray } from 'furcate';
import { WordTable } from './word-table.js';

/** Size of a part that one thread counts alone (bytes). In small parts, more words occur in several parts, which makes merging slower. */
const PART_BYTES = 4 * 2 ** 20;

/** Returns the entries of a `WordTable`. */
export class CountWords extends RecursiveTask<Uint32Array> {
  static {
    this.register(import.meta.url, 'CountWords');
  }
  readonly text: Uint8Array;
  readonly lo: number;
  readonly hi: number;
  readonly partBytes: number;

  constructor(text: Uint8Array, lo = 0, hi = text.length, partBytes = PART_BYTES) {
    super();
    this.text = text;
    this.lo = lo;
    this.hi = hi;
    this.partBytes = partBytes;
  }

  compute(): Uint32Array {
    const { text, lo, hi, partBytes } = this;
    const table = new WordTable(text);
    if (hi - lo <= partBytes) {
      table.addWords(lo, hi);
    } else {
      const middle = (lo + hi) >>> 1;
      const right = new CountWords(text, middle, hi, partBytes).fork();
      for (const half of [new CountWords(text, lo, middle, partBytes).compute(), right.join()]) {
        table.addEntries(half);
        free(half);
      }
    }
    return sharedArray(Uint32Array, table.entries);
  }
}
