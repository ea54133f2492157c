/** The count by hand: each worker has a stack of nodes, and gives the oldest of them to one that has nothing to do. */
import { Pile } from '../pile.js';
import type { Bare, Caller } from '../team.js';
import { type Shape, TREES, type Tree } from './config.js';
import { randomOf } from './sequential.js';
import { childState, rootState, STATE_WORDS } from './sha-1.js';

/** Numbers of a node: its state and its depth. */
const WIDTH = STATE_WORDS + 1;
/** Nodes that a stack and the pile have room for. */
const DEEP = 2 ** 16;
const ROOM = 64;

interface Shared {
  readonly tree: Tree;
  readonly pile: Int32Array;
}

export const caller: Caller<Tree, Shared, undefined, number, number> = {
  share: (tree) => ({ tree, pile: Pile.words(ROOM, WIDTH) }),
  close: ({ parts }) => parts[0] + parts[1],
};

const state = new Int32Array(STATE_WORDS);
const stack = new Int32Array(DEEP * WIDTH);
const given = new Int32Array(WIDTH);

export const bare: Bare<Shared, undefined, number> = ({ tree, pile: words }, team) => {
  const pile = new Pile(words, WIDTH);
  const shape: Shape = TREES[tree];
  team.barrier(() => {
    rootState(shape.seed, state);
    pile.begin(...state, 0);
  });
  let nodes = 0;
  while (pile.take(given)) {
    stack.set(given);
    nodes += count(shape, pile);
  }
  return nodes;
};

/** Counts the node that the stack begins with, and those below it. */
function count(shape: Shape, pile: Pile): number {
  let nodes = 0;
  for (let [bottom, top] = [0, WIDTH]; top > bottom; ) {
    if (top - bottom > WIDTH && pile.isWanted) {
      pile.put(...stack.subarray(bottom, bottom + WIDTH));
      bottom += WIDTH;
    }
    top -= WIDTH;
    const [s0, s1, s2, s3, s4, depth] = [
      stack[top],
      stack[top + 1],
      stack[top + 2],
      stack[top + 3],
      stack[top + 4],
      stack[top + 5],
    ];
    const children = shape.children(depth, randomOf(s4));
    nodes++;
    for (let i = 0; i < children; i++, top += WIDTH) {
      childState(s0, s1, s2, s3, s4, i, state);
      for (let k = 0; k < STATE_WORDS; k++) stack[top + k] = state[k];
      stack[top + STATE_WORDS] = depth + 1;
    }
  }
  return nodes;
}
