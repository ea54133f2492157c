/** Readiness of a graph's nodes: threads finish nodes at the same time; each node is run or skipped once, after all that it waits for. */
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';

/** A graph: for each node, the nodes that wait for it. */
interface Graph {
  readonly successors: readonly (readonly number[])[];
  /** Nodes that fail when they run. */
  readonly failing: readonly number[];
}

const READY = 1;
const TO_SKIP = 2;

const predecessorsOf = ({ successors }: Graph, node: number): number[] =>
  successors.flatMap((after, before) => (after.includes(node) ? [before] : []));

/** Words: the counts of the nodes, then whether each is done. */
const doneAt = ({ successors }: Graph, node: number): number => successors.length + node;

/** Runs nodes that wait for nothing, and all that they make ready. */
const runner = (graph: Graph, thread: number, starts: readonly number[]): ThreadBody => ({
  name: `thread ${thread}`,
  run({ readiness }, { buffer, note, seam }) {
    const words = new Int32Array(buffer);
    const finish = (node: number, failed: boolean): void => {
      seam.write(words, doneAt(graph, node), 1);
      for (const successor of graph.successors[node] as readonly number[]) {
        const became = readiness.countDown(words, successor, failed);
        if (became === READY) run(successor);
        if (became === TO_SKIP) skip(successor);
      }
    };
    const mustBeNext = (node: number): void => {
      const missing = predecessorsOf(graph, node).find((before) => seam.read(words, doneAt(graph, before)) === 0);
      if (missing !== undefined) throw new Error(`node ${node} begins before node ${missing} is done`);
    };
    const run = (node: number): void => {
      mustBeNext(node);
      note(`ran ${node}`);
      finish(node, graph.failing.includes(node));
    };
    const skip = (node: number): void => {
      mustBeNext(node);
      note(`skipped ${node}`);
      finish(node, true);
    };
    for (const node of starts) run(node);
  },
});

/** What becomes of each node. */
function expected(graph: Graph): string[] {
  const fates = new Map<number, boolean>();
  const hasResult = (node: number): boolean => {
    const known = fates.get(node);
    if (known !== undefined) return known;
    const has = !graph.failing.includes(node) && predecessorsOf(graph, node).every(hasResult);
    fates.set(node, has);
    return has;
  };
  return graph.successors.map((_, node) =>
    predecessorsOf(graph, node).every(hasResult) ? `ran ${node}` : `skipped ${node}`,
  );
}

function readinessScenario(name: string, graph: Graph, starts: readonly (readonly number[])[]): Scenario {
  const size = graph.successors.length;
  return {
    name,
    words: 2 * size,
    threads: starts.map((mine, thread) => runner(graph, thread, mine)),
    setUp(words) {
      for (let node = 0; node < size; node++) words[node] = predecessorsOf(graph, node).length;
    },
    check({ notes }) {
      const seen = notes.flat().sort();
      const wanted = expected(graph).sort();
      if (seen.join() !== wanted.join()) throw new Error(`the threads ${seen.join()}, not ${wanted.join()}`);
    },
    nameOf: (at) => (at < size ? `count of ${at}` : `done ${at - size}`),
  };
}

const DIAMOND = [[3, 4], [3], [4], [5], [5], []];

export const READINESS: Readonly<Record<string, () => Scenario>> = {
  'two threads': () =>
    readinessScenario('two threads that finish what a node waits for', { successors: DIAMOND, failing: [] }, [
      [0],
      [1, 2],
    ]),
  'three threads': () =>
    readinessScenario('three threads that finish what a node waits for', { successors: DIAMOND, failing: [] }, [
      [0],
      [1],
      [2],
    ]),
  'a failure': () =>
    readinessScenario(
      'a node that fails beside others has its successors skipped',
      { successors: DIAMOND, failing: [1] },
      [[0], [1], [2]],
    ),
};
