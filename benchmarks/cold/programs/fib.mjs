// fib(n) with a task for every call and no cut-off.
import { RecursiveTask } from 'furcate';

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
