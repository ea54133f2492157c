/** Makes the random keys that the native programs sort: xorshift32 (13, 17, 5), seed 42. */

const SEED = 42;

function generator(): () => number {
  let state = SEED;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Fills `keys` with numbers in [0, 1) that have 53 random bits. */
export function fillRandom(keys: Float64Array): void {
  const next = generator();
  for (let i = 0; i < keys.length; i++) {
    const high = next() >>> 5;
    const low = next() >>> 6;
    keys[i] = (high * 2 ** 26 + low) / 2 ** 53;
  }
}

/** Fills `keys` with 32 random bits each. */
export function fillRandomWords(keys: Uint32Array): void {
  const next = generator();
  for (let i = 0; i < keys.length; i++) keys[i] = next();
}
