/** Hashes the words, and counts in a Map. */
import { type Counts, hashAt, type Text } from './config.js';

export function sequential({ bytes }: Text): Counts {
  const counts = new Map<number, number>();
  for (let i = 1; i < bytes.length; i++) {
    if (bytes[i] === 32 || bytes[i - 1] !== 32) continue;
    const hash = hashAt(bytes, i);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return { keys: [...counts.keys()], values: [...counts.values()] };
}
