import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runChecked, runTree, treeAt, treeOf } from '../../../../src/cluster/client/tree.js';
import { nodeDigest } from '../../../../src/cluster/split.js';
import { RecursiveTask } from '../../../../src/core/index.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

registerHost(detectNode);

/** A sum whose parts are cut where `cuts` says; its bits depend on the tree. */
class Terms extends RecursiveTask<number> {
  static {
    this.register(import.meta.url, 'Terms');
  }
  readonly terms: readonly number[];
  readonly width: number;
  constructor(terms: readonly number[], width: number) {
    super();
    this.terms = terms;
    this.width = width;
  }
  split(): Terms[] | undefined {
    const { terms, width } = this;
    if (terms.length <= width) return undefined;
    const size = Math.ceil(terms.length / width);
    return Array.from(
      { length: Math.ceil(terms.length / size) },
      (_, k) => new Terms(terms.slice(k * size, (k + 1) * size), width),
    );
  }
  combine(results: number[]): number {
    return results.reduce((a, b) => a + b);
  }
  compute(): number {
    return this.split() === undefined
      ? this.terms.reduce((a, b) => a + b, 0)
      : this.combine((this.split() as Terms[]).map((part) => part.compute()));
  }
}

const here = async (_: string, task: { compute(): unknown }): Promise<unknown> => task.compute();
const sizes = fc.record({
  terms: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 200 }),
  width: fc.integer({ min: 2, max: 5 }),
  jobs: fc.integer({ min: 1, max: 100 }),
});

describe('a tree', () => {
  test('whose split() or combine() returns a promise, or no tasks, is refused', async () => {
    const failing = (text: string) => async (): Promise<never> => {
      throw new Error(text);
    };
    const task = (own: object): Terms => Object.assign(new Terms([1, 2, 3, 4], 2), own);
    const split =
      (result: unknown): (() => unknown) =>
      () =>
        treeOf(task({ split: () => result }), 4);
    expect(() => treeOf(task({ split: failing('split') }), 4)).toThrow(
      /^furcate: split\(\) of Terms.*it returned a promise/,
    );
    expect(split([])).toThrow(/must return an array of tasks.*it returned no values/);
    expect(split([1])).toThrow(/it returned other values/);
    expect(split(Object.create(null))).toThrow(/it returned an object/);
    const late = treeOf(task({ combine: failing('combine') }), 4);
    await expect(runTree(late, here)).rejects.toThrow(/^furcate: combine\(\) of Terms.* returned a promise/);
  });

  test('gives the bits of compute(), whatever its number of jobs', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async ({ terms, width, jobs }) => {
        const whole = new Terms(terms, width).compute();
        expect(await runTree(treeOf(new Terms(terms, width), jobs), here)).toBe(whole);
        expect(await runChecked(treeOf(new Terms(terms, width), jobs), here)).toBe(whole);
      }),
    );
  });

  test('has as many jobs as are wanted, or all that there are, each of a name of its own', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async ({ terms, width, jobs }) => {
        const run = new Map<string, number>();
        await runTree(treeOf(new Terms(terms, width), jobs), async (path, task) => {
          expect(run.has(path)).toBe(false);
          run.set(path, (task as Terms).terms.length);
          return (task as Terms).compute();
        });
        expect([...run.values()].reduce((a, b) => a + b)).toBe(terms.length);
        const isLeaf = (length: number): boolean => length <= width;
        expect(run.size >= jobs || [...run.values()].every(isLeaf)).toBe(true);
        expect(run.size).toBeLessThan(jobs + width);
      }),
    );
  });

  test.each([
    ['nothing in an array', []],
    ['no task', [1]],
    ['no array', 1],
  ])('is refused when split() returns %s', (_, parts) => {
    const task = Object.assign(new Terms([1, 2, 3], 2), { split: () => parts });
    expect(() => treeOf(task, 2)).toThrow(/furcate: split\(\) of Terms must return an array of tasks/);
  });
});

/** A range that is cut into as many parts as the machine has cores. */
let cores = 2;
class Cut extends RecursiveTask<number> {
  static {
    this.register(import.meta.url, 'Cut');
  }
  readonly lo: number;
  readonly hi: number;
  constructor(lo: number, hi: number) {
    super();
    this.lo = lo;
    this.hi = hi;
  }
  split(): Cut[] {
    const at = (k: number): number => this.lo + Math.floor(((this.hi - this.lo) * k) / cores);
    return Array.from({ length: cores }, (_, k) => new Cut(at(k), at(k + 1)));
  }
  combine(sizes: number[]): number {
    return sizes.reduce((a, b) => a + b);
  }
  compute(): number {
    return this.hi - this.lo;
  }
}

describe('the parts that a host names', () => {
  const partsWith = (count: number): (readonly [string, string])[] => {
    cores = count;
    const parts = new Cut(0, 12).split().map((part, k) => [`-${k}`, nodeDigest(part)] as const);
    cores = 2;
    return parts;
  };

  test('are those of the client where both cut alike', async () => {
    expect(await runTree(treeAt(new Cut(0, 12), partsWith(2)), here)).toBe(12);
  });

  test.each([1, 3, 4])('are refused where split() makes %d parts there and 2 here', (count) => {
    expect(() => treeAt(new Cut(0, 12), partsWith(count))).toThrow(/split\(\) of Cut cuts a task otherwise here/);
  });

  test('are refused where there are as many parts, of other fields', () => {
    const parts = partsWith(2).map(([path]) => [path, nodeDigest(new Cut(0, 5))] as const);
    expect(() => treeAt(new Cut(0, 12), parts)).toThrow(/otherwise here/);
  });
});

test('a task whose only part is the task again is an error, on the client and on a host', () => {
  class Again extends RecursiveTask<number> {
    static {
      this.register(import.meta.url, 'Again');
    }
    readonly isNew: boolean;
    constructor(isNew: boolean) {
      super();
      this.isNew = isNew;
    }
    split(): Again[] {
      return [this.isNew ? new Again(true) : this];
    }
    combine([only]: number[]): number {
      return only as number;
    }
    compute(): number {
      return 1;
    }
  }
  for (const isNew of [true, false])
    expect(() => treeOf(new Again(isNew), 64)).toThrow(/furcate: split\(\) of Again returned the same task again/);
});
