/** Counts by hand: each worker the words of its half of the text, in a table for each half of the hashes; then each adds up the tables of one half. */
import { sharedByHand } from '../bare.js';
import { type Bare, type Caller, THREADS } from '../team.js';
import { type Counts, hashAt, type Text } from './config.js';

const SPACE = 32;
/** Places of a table: a few times as many as it may have hashes. */
const PLACES = 2 ** 17;

/** Hashes, and how often each occurs; a place without a count is free. */
interface Table {
  readonly hashes: Uint32Array;
  readonly counts: Uint32Array;
}

interface Shared {
  readonly bytes: Uint8Array;
  /** By worker, those of the hashes that it adds up first. */
  readonly tables: readonly (readonly Table[])[];
}

const table = (): Table => ({ hashes: sharedByHand(Uint32Array, PLACES), counts: sharedByHand(Uint32Array, PLACES) });

export const caller: Caller<Text, Shared, undefined, Counts, Counts> = {
  share({ bytes }) {
    const each = { length: THREADS };
    return { bytes, tables: Array.from(each, () => Array.from(each, table)) };
  },
  close({ parts }) {
    const lengths = parts.map(({ keys }) => keys.length);
    const keys = new Uint32Array(lengths[0] + lengths[1]);
    const values = new Uint32Array(keys.length);
    parts.forEach((part, k) => {
      keys.set(part.keys, k * lengths[0]);
      values.set(part.values, k * lengths[0]);
    });
    return { keys, values };
  },
};

export const bare: Bare<Shared, undefined, Counts> = ({ bytes, tables }, team) => {
  const own = tables[team.me];
  for (const { counts } of own) counts.fill(0);
  const [lo, hi] = team.share(bytes.length);
  for (let i = Math.max(1, lo); i < hi; i++) {
    if (bytes[i] === SPACE || bytes[i - 1] !== SPACE) continue;
    const hash = hashAt(bytes, i);
    add(own[hash % THREADS], hash, 1);
  }
  team.barrier();
  const [mine, ...others] = tables.map((of) => of[team.me]);
  for (const { hashes, counts } of others)
    for (let at = 0; at < PLACES; at++) if (counts[at] > 0) add(mine, hashes[at], counts[at]);
  const size = mine.counts.reduce((sum, count) => sum + Math.sign(count), 0);
  const [keys, values] = [sharedByHand(Uint32Array, size), sharedByHand(Uint32Array, size)];
  for (let at = 0, k = 0; at < PLACES; at++) {
    if (mine.counts[at] === 0) continue;
    keys[k] = mine.hashes[at];
    values[k++] = mine.counts[at];
  }
  return { keys, values };
};

function add({ hashes, counts }: Table, hash: number, count: number): void {
  let at = Math.imul(hash, 0x9e3779b1) >>> 15; // the upper bits of the product depend on all of the hash
  while (counts[at] > 0 && hashes[at] !== hash) at = (at + 1) % PLACES;
  hashes[at] = hash;
  counts[at] += count;
}
