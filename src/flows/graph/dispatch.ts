/**
 * Runs of graphs some of whose nodes wait: for what is asynchronous, or for permits. Runs on the thread that starts their tasks: on a worker, or where
 * nodes have limits on the calling thread, where these are.
 *
 * Lanes block until all is done, so they cannot run such graphs. Here, what is ready comes back to a dispatcher as a chain. It starts each node
 * that is *apart* as a task of its own, at once, and gives the others in as many *shares* as there are threads. The task of a share runs as many nodes as a lane
 * would, until it has something that the dispatcher or another thread should have. So who waits holds no worker, and other nodes cost little more than
 * in lanes.
 */
import { isSkipped, link, NO_CHAIN, nodesOf } from './ready.js';
import { isApart, isStopped, type RunWords } from './run.js';

/**
 * Number of ready nodes with which a share begins. What it leaves goes back and is given away again, at some 0.1 us a node: with all of 30,000 ready
 * nodes in each share, those that a limit let through one by one made a run of 16 ms take a second.
 */
const MOST_OF_SHARE = 512;

/** Operations by which a dispatcher starts tasks. Their promises give the chain of the nodes that are ready then. */
export interface Hands {
  /** Number of shares that may be in flight. */
  readonly parallelism: number;
  /** Offers the nodes of a chain to all threads, with what they make ready. @returns what waits for that: it may run them itself, at once */
  share(chain: number): () => Promise<number>;
  /** Runs one node that is apart. */
  apart(node: number): Promise<number>;
  /** Called before the words of the run are read. @throws once they may be gone */
  check(): void;
}

/**
 * Runs all nodes that can be run.
 *
 * @param chain those that are ready at first
 * @returns a promise that rejects with the first failure of a task, as opposed to a node; other tasks may go on then
 */
export function dispatch(run: RunWords, chain: number, hands: Hands): Promise<void> {
  return new Promise((resolve, reject) => {
    const ready: number[] = [];
    let tasks = 0;
    let shares = 0;
    let isOver = false;

    const start = (task: Promise<number>, ended: () => void): void => {
      tasks++;
      task.then(
        (chain) => {
          tasks--;
          ended();
          if (!isOver) goOn(chain);
        },
        (error: unknown) => fail(error),
      );
    };
    const fail = (error: unknown): void => {
      isOver = true;
      reject(error);
    };
    const take = (chain: number): void => {
      if (chain === NO_CHAIN) return;
      for (const node of [...nodesOf(run, chain)]) {
        if (isApart(run, node) && !isSkipped(run, node) && !isStopped(run)) start(hands.apart(node), () => {});
        else ready.push(node);
      }
    };
    const give = (): void => {
      const offered: (() => Promise<number>)[] = [];
      while (ready.length > 0 && shares < hands.parallelism) {
        const share = ready.splice(-Math.min(MOST_OF_SHARE, Math.ceil(ready.length / (hands.parallelism - shares))));
        shares++;
        offered.push(hands.share(share.reduce((next, node) => link(run, node, next), NO_CHAIN)));
      }
      // All are offered before this thread runs one: the newest, so that others have the time to take the older ones.
      for (const wait of offered.reverse()) start(wait(), () => shares--);
    };
    const goOn = (chain: number): void => {
      try {
        hands.check();
        take(chain);
        give();
      } catch (error) {
        fail(error);
      }
      if (tasks === 0) resolve();
    };
    goOn(chain);
  });
}
