/**
 * Tasks that can be split: the top of their tree becomes jobs, and the client combines what hosts return.
 *
 * The tree is the task's own: `split` says what the halves of a node are, and nothing else decides it. A job is a node of the tree, named by its
 * path, and the client combines along the tree, whatever nodes became jobs. So the result is the same, bit for bit, for any number of hosts
 * and any size of jobs, if `compute` of a node gives what `combine` gives of its parts. `checked` makes sure of that.
 */
import type { ForkJoinTask } from 'furcate';
import { isTask, nameOf, packOutcome } from '../library.js';

/** A task that hosts can share: it can say what smaller tasks it consists of. */
export interface SplittableTask<T> extends ForkJoinTask<T> {
  /** The tasks that make up this one; undefined where it is small enough for one host. It changes nothing of this task. */
  split(): readonly ForkJoinTask<T>[] | undefined;
  /** The result, of the results of those tasks, in their order. */
  combine(results: T[]): T;
}

/** A node of a tree, with what became of it. */
interface Node {
  readonly path: string;
  readonly task: ForkJoinTask<unknown>;
  /** Undefined where the node is a job. */
  parts: readonly Node[] | undefined;
}

export const isSplittable = (task: unknown): task is SplittableTask<unknown> =>
  isTask(task) &&
  typeof (task as Partial<SplittableTask<unknown>>).split === 'function' &&
  typeof (task as Partial<SplittableTask<unknown>>).combine === 'function';

/** The parts of a task. @throws TypeError for what `split` must not return */
function partsOf(task: ForkJoinTask<unknown>): readonly ForkJoinTask<unknown>[] | undefined {
  if (!isSplittable(task)) return undefined;
  const parts: unknown = task.split();
  if (parts === undefined) return undefined;
  if (Array.isArray(parts) && parts.length > 0 && parts.every(isTask)) return parts;
  throw new TypeError(
    `furcate: split() of ${nameOf(task)} must return an array of tasks, or undefined where the task is small enough; it returned ${String(parts)}.`,
  );
}

/** What runs the nodes that are jobs. */
export type RunNode = (path: string, task: ForkJoinTask<unknown>) => Promise<unknown>;

/**
 * Splits a task, breadth first, until it has as many jobs as wanted or nothing can be split any more.
 *
 * @throws what `split` throws; TypeError for what it must not return
 */
export function treeOf(task: ForkJoinTask<unknown>, wanted: number): Node {
  const root: Node = { path: 'root', task, parts: undefined };
  let level = [root];
  let jobs = 1;
  while (jobs < wanted && level.length > 0) {
    const next: Node[] = [];
    for (const node of level) {
      const parts = jobs < wanted ? partsOf(node.task) : undefined;
      if (parts === undefined) continue;
      node.parts = parts.map((part, k) => ({ path: `${node.path}-${k}`, task: part, parts: undefined }));
      jobs += parts.length - 1;
      next.push(...node.parts);
    }
    level = next;
  }
  return root;
}

/** Runs the jobs of a tree, from left to right, and combines their results as soon as those of a node are there. */
export async function runTree({ path, task, parts }: Node, run: RunNode): Promise<unknown> {
  if (parts === undefined) return run(path, task);
  const results = await Promise.all(parts.map((part) => runTree(part, run)));
  return (task as SplittableTask<unknown>).combine(results);
}

/** As `runTree`, and compares what `combine` gives of each node with what `compute` of the node gives, on a host. */
export async function runChecked(node: Node, run: RunNode): Promise<unknown> {
  const { path, task, parts } = node;
  if (parts === undefined) return run(path, task);
  const [whole, ...results] = await Promise.all([run(path, task), ...parts.map((part) => runChecked(part, run))]);
  const combined = (task as SplittableTask<unknown>).combine(results);
  if (isSame(whole, combined)) return combined;
  throw new Error(
    `furcate: checked: ${nameOf(task)} gives ${String(whole)} by compute(), and ${String(combined)} by combine() of its ${parts.length} parts (node ${path}). Let compute() combine the same parts in the same order: the result depends on the number of hosts otherwise.`,
  );
}

/** Whether two results are the same, bit for bit. */
function isSame(a: unknown, b: unknown): boolean {
  const [left, right] = [a, b].map((value) => packOutcome({ failed: false, value }));
  return Buffer.compare(left as Uint8Array, right as Uint8Array) === 0;
}
