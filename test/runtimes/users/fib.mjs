/** The tasks of the README, as a module that workers import. */
import { fork, forkable, join, RecursiveTask } from 'furcate';

export class Fib extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Fib');
  }
  constructor(n) {
    super();
    this.n = n;
  }
  compute() {
    if (this.n < 2) return this.n;
    const left = new Fib(this.n - 1).fork();
    const right = new Fib(this.n - 2).compute();
    return left.join() + right;
  }
}

export const fib = forkable(import.meta.url, 'fib', (n) => {
  if (n < 2) return n;
  const left = fork(fib, n - 1);
  const right = fib(n - 2);
  return join(left) + right;
});

export const fails = forkable(import.meta.url, 'fails', (n) => {
  if (n === 0) throw new RangeError('the bottom', { cause: { n } });
  const child = fork(fails, n - 1);
  return join(child);
});

export const says = forkable(import.meta.url, 'says', (text) => {
  console.log(text);
  return text.length;
});

export const spins = forkable(import.meta.url, 'spins', (n) => {
  if (n === 0) return 0;
  const child = fork(spins, n - 1);
  for (const end = performance.now() + 5; performance.now() < end; );
  return join(child) + 1;
});
