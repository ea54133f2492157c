// The data of each workload and the answer made from its result, for the programs with and without the library.

const SEED = 42;
/** Distance between the elements that an answer is made of. The sample is small, so that it costs little between two calls. */
const STEP = 997;

/** xorshift32 (13, 17, 5), which also makes the keys of the native programs. */
function generator() {
  let state = SEED;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Multiples of one half, whose sums are exact in any order. */
function ramp(xs) {
  for (let i = 0; i < xs.length; i++) xs[i] = (i % 1000) * 0.5;
  return xs;
}

/** Numbers in [0, 1) with 53 random bits. */
export function randomKeys(xs) {
  const next = generator();
  for (let i = 0; i < xs.length; i++) {
    const high = next() >>> 5;
    xs[i] = (high * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  }
  return xs;
}

export function randomWords(xs) {
  const next = generator();
  for (let i = 0; i < xs.length; i++) xs[i] = next();
  return xs;
}

function sampleSum(xs) {
  let sum = xs.length;
  for (let i = xs.length - 1; i >= 0; i -= STEP) sum += xs[i];
  return sum;
}

/** Reads the sample of a result and then wipes it, so that a call that does nothing gives a wrong answer. */
function takeSample(xs) {
  const sum = sampleSum(xs);
  for (let i = xs.length - 1; i >= 0; i -= STEP) xs[i] = -1;
  return sum;
}

const TEN_MILLION = 10_000_000;
const nothing = () => {};

/**
 * The workloads by name. `open` makes the data, with arrays from `make`. `prepare` runs before each call and is not timed. `answer`
 * turns a call's result into a number. No page of a result array `out` is touched before the first call.
 */
export const WORKLOADS = {
  sum: {
    open: (make) => ({ xs: ramp(make(Float64Array, 5 * TEN_MILLION)) }),
    prepare: nothing,
    answer: (sum) => sum,
  },
  scan: {
    open: (make) => ({ xs: ramp(make(Float64Array, TEN_MILLION)), out: make(Float64Array, TEN_MILLION) }),
    prepare: nothing,
    answer: takeSample,
  },
  map: {
    open: (make) => ({ xs: ramp(make(Float64Array, TEN_MILLION)), out: make(Float64Array, TEN_MILLION) }),
    prepare: nothing,
    answer: takeSample,
  },
  filter: {
    open: (make) => ({ xs: randomKeys(make(Float64Array, TEN_MILLION)) }),
    prepare: nothing,
    answer: sampleSum,
  },
  histogram: {
    open: (make) => ({ xs: randomWords(make(Uint32Array, TEN_MILLION)) }),
    prepare: nothing,
    answer: (counts) => counts.reduce((sum, count, bin) => sum + count * (bin + 1), 0),
  },
  fib: { open: () => ({}), prepare: nothing, answer: (n) => n },
  sort: {
    open: (make) => ({ keys: randomKeys(new Float64Array(TEN_MILLION)), xs: make(Float64Array, TEN_MILLION) }),
    prepare: ({ keys, xs }) => xs.set(keys),
    answer: sampleSum,
  },
};

const CALLS = 40;

/** Runs `call` forty times on the data, and prints how long each call took and the answer of all calls. */
export async function timeCalls({ prepare, answer }, data, call) {
  const ms = [];
  let first;
  for (let k = 0; k < CALLS; k++) {
    prepare(data);
    const startMs = performance.now();
    const result = await call(data);
    ms.push(performance.now() - startMs);
    const seen = answer(result);
    first ??= seen;
    if (seen !== first) throw new Error(`Call ${k + 1} answered ${seen}; the first call answered ${first}.`);
  }
  console.log(JSON.stringify({ ms, answer: first }));
}
