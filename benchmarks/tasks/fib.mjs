// fib(n) as class tasks and as function tasks, with a task for every call and no cut-off, and as plain recursion.
import { fork, forkable, join, RecursiveTask } from 'furcate';

export class Fib extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Fib');
  }

  // A field, since `n: number;` in TypeScript compiles to one.
  n;

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

export function plainFib(n) {
  if (n < 2) return n;
  return plainFib(n - 1) + plainFib(n - 2);
}
