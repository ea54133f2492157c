// A task that returns the number after its own; the second file of the module is successor.mjs.
import { RecursiveTask } from 'furcate';
import { successor } from './successor.mjs';

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
    return successor(this.n);
  }
}
