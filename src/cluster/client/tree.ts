/**
 * Tasks that can be split: the top of their tree becomes jobs, and the client combines what hosts return.
 *
 * The tree is the task's own: `split` says what the halves of a node are, and nothing else decides it. A job is a node of the tree, named by its
 * path, and the client combines along the tree, whatever nodes became jobs. So the result is the same, bit for bit, for any number of hosts
 * and any size of jobs, if `compute` of a node gives what `combine` gives of its parts. `checked` makes sure of that.
 */
import type { ForkJoinTask } from 'furcate';
import { identityOf, nameOf } from '../library.js';
import type { PartName } from '../link/arrived.js';
import { canonicalBytes } from '../link/identity.js';
import { combined, nodeDigest, partsOf } from '../split.js';

/** A node of a tree, with what became of it. */
interface TreeNode {
  readonly path: string;
  readonly task: ForkJoinTask<unknown>;
  /** Undefined where the node is a job. */
  parts: readonly TreeNode[] | undefined;
}

/** Runs a node that is a job. */
export type RunNode = (path: string, task: ForkJoinTask<unknown>) => Promise<unknown>;

/**
 * Splits a task, breadth first, until it has as many jobs as wanted or nothing can be split any more.
 *
 * @throws what `split` throws; TypeError for what it must not return
 */
export function treeOf(task: ForkJoinTask<unknown>, wanted: number): TreeNode {
  const root: TreeNode = { path: 'root', task, parts: undefined };
  let level = [root];
  let jobs = 1;
  while (jobs < wanted && level.length > 0) {
    const next: TreeNode[] = [];
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

/**
 * The tree whose jobs are these nodes: what a host has left of a task.
 *
 * @throws Error where `split` does not cut the task as it has done on the host
 */
export function treeAt(task: ForkJoinTask<unknown>, names: readonly PartName[]): TreeNode {
  const jobs = new Map(names);
  const otherwise = (node: ForkJoinTask<unknown>): Error =>
    new Error(
      `furcate: split() of ${nameOf(node)} cuts a task otherwise here than on a host. Let it depend on the fields of the task only: not on the machine, such as its cores, its environment or its files, nor on time or chance.`,
    );
  const nodeAt = (path: string, node: ForkJoinTask<unknown>): TreeNode => {
    const digest = jobs.get(path);
    if (digest !== undefined) {
      if (digest !== nodeDigest(node)) throw otherwise(node);
      jobs.delete(path);
      return { path, task: node, parts: undefined };
    }
    const parts = partsOf(node);
    if (parts === undefined || jobs.size === 0) throw otherwise(node);
    return { path, task: node, parts: parts.map((part, k) => nodeAt(`${path}-${k}`, part)) };
  };
  const root = nodeAt('', task);
  if (jobs.size > 0) throw otherwise(task);
  return root;
}

/** Runs the jobs of a tree, from left to right, and combines their results as soon as those of a node are there. */
export async function runTree({ path, task, parts }: TreeNode, run: RunNode): Promise<unknown> {
  if (parts === undefined) return run(path, task);
  const results = await Promise.all(parts.map((part) => runTree(part, run)));
  return combined(task, results);
}

/** As `runTree`, and compares what `combine` gives of each node with what `compute` of the node gives, on a host. */
export async function runChecked(node: TreeNode, run: RunNode): Promise<unknown> {
  const { path, task, parts } = node;
  if (parts === undefined) return run(path, task);
  const [whole, ...results] = await Promise.all([run(path, task), ...parts.map((part) => runChecked(part, run))]);
  const sum = combined(task, results);
  if (isSame(whole, sum)) return sum;
  throw new Error(
    `furcate: checked: ${nameOf(task)} gives ${shown(whole)} by compute(), and ${shown(sum)} by combine() of its ${parts.length} parts (node ${path}). Let compute() combine the same parts in the same order: the result depends on the number of hosts otherwise.`,
  );
}

/** A result as errors show it; no method of it is called. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'an object' : typeof value === 'symbol' ? 'a symbol' : `${value}`;

/** Checks whether two results are the same, bit for bit. */
function isSame(a: unknown, b: unknown): boolean {
  const [left, right] = [a, b].map((value) => canonicalBytes(identityOf(value, { what: 'the result' })));
  return Buffer.compare(left as Uint8Array, right as Uint8Array) === 0;
}
