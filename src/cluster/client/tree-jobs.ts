/** Runs a task with `split` and `combine` as jobs of a call: the top of its tree, and what hosts leave of jobs that they share. */
import type { ForkJoinTask } from 'furcate';
import { isSplittable } from '../split.js';
import { Parts } from './call.js';
import { runChecked, runTree, treeAt, treeOf } from './tree.js';
import { keyOf, type Work, workOf } from './work.js';

type Task = ForkJoinTask<unknown>;

/** Submits a node as a job, and gives its result. */
export type Submit = (key: string, work: Work, node: Task) => Promise<unknown>;

/** @param jobs into how many the task is split, at least */
export function runTask(submit: Submit, task: Task, jobs: number): Promise<unknown> {
  return runTree(treeOf(task, jobs), (path, node) => {
    const work = workOfNode(node);
    return runNode(submit, keyOf(path, work), { node, work });
  });
}

/** As `runTask`, and computes each node that is split as a whole, too, and compares. No job is shared: each is to be what `compute` gives. */
export function runCheckedTask(submit: Submit, task: Task, jobs: number): Promise<unknown> {
  return runChecked(treeOf(task, jobs), (path, node) => {
    const whole = workOf('cluster.invoke', node, []);
    return submit(keyOf(path, whole), whole, node);
  });
}

/** Runs a node as a job, and as several where its host has shared it. A part's key begins with that of its job. */
async function runNode(
  submit: Submit,
  key: string,
  { node, work }: { readonly node: Task; readonly work: Work },
): Promise<unknown> {
  const result = await submit(key, work, node);
  if (!(result instanceof Parts)) return result;
  const tree = treeAt(node, result.paths);
  return runTree(tree, (path, part) => runNode(submit, key + path, { node: part, work: workOfNode(part) }));
}

/** A job of a node, which hosts may share if it can be split. */
function workOfNode(node: Task): Work {
  const work = workOf('cluster.invoke', node, []);
  return isSplittable(node) ? { ...work, kind: 'tree' } : work;
}
