/** The random keys that the native programs sort: xorshift32 (13, 17, 5), seed 42. */

const SEED = 42;

/** Fills `keys` with numbers in [0, 1) of 53 random bits. */
export function fillRandom(keys: Float64Array): void {
  let state = SEED;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let i = 0; i < keys.length; i++) {
    const high = next() >>> 5;
    const low = next() >>> 6;
    keys[i] = (high * 2 ** 26 + low) / 2 ** 53;
  }
}
