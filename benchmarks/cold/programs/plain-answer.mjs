// Computes the right answer of a workload sequentially.
import { WORKLOADS } from './workloads.mjs';

function scan(xs, out) {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) {
    sum += xs[i];
    out[i] = sum;
  }
  return out;
}

function histogram(xs) {
  const counts = new Uint32Array(256);
  for (const x of xs) counts[x >>> 24]++;
  return counts;
}

const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));

const CALLS = {
  sum: ({ xs }) => xs.reduce((a, b) => a + b, 0),
  scan: ({ xs, out }) => scan(xs, out),
  map: ({ xs }) => xs.map((x) => x * 2 + 1),
  filter: ({ xs }) => xs.filter((x) => x < 0.5),
  histogram: ({ xs }) => histogram(xs),
  fib: () => fib(32),
  sort: ({ xs }) => xs.sort(),
};

const name = process.argv[2];
const { open, prepare, answer } = WORKLOADS[name];
const data = open((Type, n) => new Type(n));
prepare(data);
console.log(JSON.stringify({ ms: 0, answer: answer(CALLS[name](data)) }));
