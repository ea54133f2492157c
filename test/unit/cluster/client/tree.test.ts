import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runChecked, runTree, treeOf } from '../../../../src/cluster/client/tree.js';
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
