/** Random numbers for the data of workloads, the same in each run. */

/** Xorshift with 32 bits (Marsaglia 2003): returns a function that gives numbers from 0 up to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
