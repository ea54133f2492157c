// Two families of twenty task classes. They are made from text, so that V8 sees twenty class bodies, as in a program with twenty
// tasks. `UNIFORM[k]` forks only its own class. `MIXED[k]` forks the next class and calls the class after that.
import { RecursiveTask } from 'furcate';

const CLASSES = 20;

const classText = (name, forked, called) => `
class ${name} extends RecursiveTask {
  static { this.register(url, '${name}'); }
  n;
  constructor(n) { super(); this.n = n; }
  compute() {
    if (this.n < 2) return this.n;
    const left = new ${forked}(this.n - 1).fork();
    const right = new ${called}(this.n - 2).compute();
    return left.join() + right;
  }
}`;

function makeClasses(prefix, step) {
  const name = (k) => `${prefix}${k % CLASSES}`;
  const texts = Array.from({ length: CLASSES }, (_, k) => classText(name(k), name(k + step), name(k + 2 * step)));
  const names = Array.from({ length: CLASSES }, (_, k) => name(k));
  return new Function('RecursiveTask', 'url', `${texts.join('')}\nreturn [${names}];`)(RecursiveTask, import.meta.url);
}

export const UNIFORM = makeClasses('UniformFib', 0);
export const MIXED = makeClasses('MixedFib', 1);
