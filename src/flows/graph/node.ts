/** Runs one node when it is ready, and does what follows from it; runs on the thread that runs the node. */
import { inFrame, loopCheckpoint, observerHere, progress } from '../../core/engine.js';
import { show } from '../../core/errors.js';
import { load } from '../../core/memory/atomics.js';
import { ALL, GATE, LAST, MERGE, SWITCH } from './draft.js';
import { countDown, countDownAlone, FAILED_BEFORE, READY, TO_SKIP } from './readiness.js';
import {
  keepResult,
  readResult,
  releaseResult,
  shareResult,
  takesFailed,
  tryWriteResult,
  writeFailure,
} from './results.js';
import {
  countAt,
  type GraphRun,
  NUMBER,
  normal,
  type OpenChoice,
  RUNNING,
  resultOf,
  SKIPPED,
  setState,
  stateOf,
  W_FAILED,
} from './run.js';
import { argsFrom, nextFrom, workOf } from './topology.js';

/** The run whose node runs on this thread; `inFrame` hands over a number only. */
let running: GraphRun;

const argument = (run: GraphRun, code: number): unknown =>
  code < 0
    ? run.constant(code)
    : stateOf(run, code) === NUMBER // plain, as the result: R1
      ? normal(resultOf(run, code))
      : readResult(run, code);

/** The arguments of a node, for a function that is called with many, or asynchronously. */
export function argumentsOf(run: GraphRun, node: number): unknown[] {
  const { topology } = run;
  const { args } = topology;
  const values: unknown[] = [];
  for (let k = argsFrom(topology, node), end = argsFrom(topology, node + 1); k < end; k++)
    values.push(argument(run, args[k] as number));
  return values;
}

/** Calls the function of a node of the run that is `running`. */
function call(node: number): unknown {
  const run = running;
  const value = callIn(run, node);
  running = run; // for nameOf: the function may have run nodes of another run
  return value;
}

function callIn(run: GraphRun, node: number): unknown {
  const { topology } = run;
  const { args } = topology;
  const { fn, context } = run.works[workOf(topology, node)] as (typeof run.works)[number];
  const at = argsFrom(topology, node);
  const count = argsFrom(topology, node + 1) - at;
  if (context !== undefined) return fn(...argumentsOf(run, node), context);
  switch (count) {
    case 0:
      return fn();
    case 1:
      return fn(argument(run, args[at] as number));
    case 2:
      return fn(argument(run, args[at] as number), argument(run, args[at + 1] as number));
    case 3:
      return fn(
        argument(run, args[at] as number),
        argument(run, args[at + 1] as number),
        argument(run, args[at + 2] as number),
      );
    default:
      return fn(...argumentsOf(run, node));
  }
}

const CURE = 'Give its function as asyncForkable(), or inline as an async function: then the promise is awaited.';
const nameOf = (node: number): string => `node '${running.nameOf(node)}'`;

/** Runs a ready node, and counts its successors down. */
export function runNode(run: GraphRun, node: number): void {
  // plain: whoever packed a result made the chain that its takers came with
  if (run.words[W_FAILED] !== 0 && takesFailed(run, node)) {
    skip(run, node);
    return;
  }
  const work = workOf(run.topology, node);
  let value: unknown;
  try {
    if (work >= 0) {
      running = run;
      setState(run, node, RUNNING); // plain: in the line of its count
      const observer = observerHere();
      value = observer === undefined ? inFrame(call, node, nameOf, CURE) : observed(observer, run, node);
    } else value = runOwn(run, node, work);
  } catch (error) {
    loopCheckpoint(); // throws if the whole run is cancelled
    fail(run, node, work >= 0 ? run.explain(error, run.works[work] as (typeof run.works)[number]) : error);
    return;
  }
  if (work >= 0) {
    const opened = run.works[work] as (typeof run.works)[number];
    if (opened.ship !== undefined || run.checked) {
      try {
        run.endPiece(opened);
      } catch (error) {
        fail(run, node, error);
        return;
      }
    }
  }
  succeed(run, node, value, work < 0);
}

/** As a function of its own: V8 would make a context for each call of the one above, since a closure is made here. */
const observed = (observer: NonNullable<ReturnType<typeof observerHere>>, run: GraphRun, node: number): unknown =>
  observer.node(run, node, run.functionOf(node), () => inFrame(call, node, nameOf, CURE));

/** A node that calls no function. */
export function runOwn(run: GraphRun, node: number, work: number): unknown {
  const { args } = run.topology;
  const from = argsFrom(run.topology, node);
  const first = args[from] as number;
  switch (work) {
    case ALL:
      return argumentsOf(run, node);
    case GATE:
      return undefined;
    case LAST:
      return argument(run, first);
    case MERGE:
      return argument(run, args[from + 1 + (argument(run, first) as number)] as number);
    default:
      return chosen(run, node, argument(run, first));
  }
}

function armOf(keys: readonly string[], key: unknown): number {
  try {
    return keys.indexOf(String(key));
  } catch {
    return -1; // there are objects that have no text
  }
}

/** Finds the arm that a `choose` takes. */
function chosen(run: GraphRun, node: number, key: unknown): number {
  const [keys] = run.spec.choices.get(node) as OpenChoice;
  const arm = armOf(keys, key);
  if (arm >= 0) return arm;
  throw new RangeError(
    `furcate: taskGraph ${run.spec.name}: '${run.nameOf(node)}' was given ${show(key)}, and has no such arm. It has: ${keys.join(', ')}.`,
  );
}

/**
 * A node has a result.
 *
 * @param isOwn whether nobody else has the object: a function may write again to what it has returned
 */
export function succeed(run: GraphRun, node: number, value: unknown, isOwn: boolean): void {
  const isThere =
    tryWriteResult(run, node, value) || (mustPack(run, node) ? shareResult : keepResult)(run, node, value, isOwn);
  done(run, node, !isThere);
}

/** Checks whether other threads can need a result (V1). */
function mustPack(run: GraphRun, node: number): boolean {
  if (run.packsAll) return true;
  if (run.isAlone) return false;
  if (run.spec.output === node) return true;
  const { topology, nodes } = run;
  const { next } = topology;
  for (let k = nextFrom(topology, node), end = nextFrom(topology, node + 1); k < end; k++) {
    const left = load(nodes, countAt(next[k] as number));
    if ((left & ~FAILED_BEFORE) !== 1) return true;
  }
  return false;
}

/** A node has failed. */
export function fail(run: GraphRun, node: number, error: unknown): void {
  writeFailure(run, node, error);
  done(run, node, true);
}

/** A node does not run, because a node before it has failed. */
export function skip(run: GraphRun, node: number): void {
  setState(run, node, SKIPPED); // plain: published by R1
  done(run, node, true);
}

/** A node is done: its arguments are released, and its successors wait for one node less. */
function done(run: GraphRun, node: number, failed: boolean): void {
  const { topology, nodes } = run;
  const { next, args } = topology;
  for (let k = argsFrom(topology, node), end = argsFrom(topology, node + 1); k < end; k++) {
    const code = args[k] as number;
    if (code >= 0 && stateOf(run, code) < NUMBER) releaseResult(run, code);
  }
  const work = workOf(topology, node);
  const isSwitch = work === SWITCH;
  if (work >= 0 && run.spec.counts) progress(run.job, 1);
  const choice = isSwitch ? run.spec.choices.get(node) : undefined;
  const observer = observerHere();
  for (let k = nextFrom(topology, node), end = nextFrom(topology, node + 1); k < end; k++) {
    const s = next[k] as number;
    if (choice !== undefined && isOther(run, node, s, choice, failed)) continue;
    const at = countAt(s);
    const now = run.isAlone ? countDownAlone(nodes, at, failed) : countDown(nodes, at, failed);
    if (now === READY) {
      observer?.ready?.(run, s, node);
      push(run, s);
    } else if (now === TO_SKIP) push(run, ~s);
  }
}

/**
 * Checks whether a successor of a switch is one that does not hear of it: an arm that is not chosen; the result and the end, unless
 * there is none.
 */
function isOther(
  run: GraphRun,
  node: number,
  successor: number,
  [, gates, merges]: OpenChoice,
  failed: boolean,
): boolean {
  if (merges.includes(successor)) return !failed;
  const arm = gates.indexOf(successor);
  return arm >= 0 && (failed || resultOf(run, node) !== arm);
}

/** Puts a node onto the thread's list. */
export function push(run: GraphRun, node: number): void {
  if (run.top === run.ready.length) {
    const longer = new Int32Array(2 * run.top);
    longer.set(run.ready);
    run.ready = longer;
  }
  run.ready[run.top++] = node;
}
