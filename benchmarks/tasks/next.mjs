// The empty task. It returns its number plus 1, so that its answer can be checked.
import { forkable, RecursiveTask } from 'furcate';

export class Next extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Next');
  }

  n;

  constructor(n) {
    super();
    this.n = n;
  }

  compute() {
    return this.n + 1;
  }
}

export const next = forkable(import.meta.url, 'next', (n) => n + 1);
