/** Runs a task with `split` and `combine` as jobs of a call: the top of its tree, and what hosts leave of jobs that they share. */
import type { ForkJoinTask } from 'furcate';
import { keyOfPart } from '../link/names.js';
import { isSplittable } from '../split.js';
import { runChecked, runTree, treeAt, treeOf } from './tree.js';
import { keyOf, SharedParts, type Work, workOf } from './work.js';

type TreeTask = ForkJoinTask<unknown>;

/** Submits a node as a job, and gives its result. */
export type Submit = (key: string, work: Work, node: TreeTask) => Promise<unknown>;

/** @param jobs into how many the task is split, at least */
export function runTask(submit: Submit, task: TreeTask, jobs: number): Promise<unknown> {
  return runTree(treeOf(task, jobs), (path, node) => {
    const work = workOfNode(node, { depth: stepsIn(path), shares: 0 });
    return runNode(submit, keyOf(path, work), { node, work });
  });
}

/** As `runTask`, and computes each node that is split as a whole, too, and compares. No job is shared: each is to be what `compute` gives. */
export function runCheckedTask(submit: Submit, task: TreeTask, jobs: number): Promise<unknown> {
  return runChecked(treeOf(task, jobs), (path, node) => {
    const whole = workOf('cluster.invoke', node, []);
    return submit(keyOf(path, whole), whole, node);
  });
}

/** Runs a node as a job, and as several where its host has shared it. A part's key is made of that of its job. */
async function runNode(
  submit: Submit,
  key: string,
  { node, work }: { readonly node: TreeTask; readonly work: Work },
): Promise<unknown> {
  const result = await submit(key, work, node);
  if (!(result instanceof SharedParts)) return result;
  const { depth = 0, shares = 0 } = work;
  const tree = treeAt(node, result.names);
  return runTree(tree, (path, part) => {
    const partWork = workOfNode(part, { depth: depth + stepsIn(path), shares: shares + 1 });
    return runNode(submit, keyOfPart(result.key, path), { node: part, work: partWork });
  });
}

const stepsIn = (path: string): number => path.split('-').length - 1;

/** A job of a node, which hosts may share if it can be split. */
function workOfNode(node: TreeTask, place: Pick<Work, 'depth' | 'shares'>): Work {
  const work = workOf('cluster.invoke', node, []);
  return isSplittable(node) ? { ...work, ...place, kind: 'tree' } : work;
}
