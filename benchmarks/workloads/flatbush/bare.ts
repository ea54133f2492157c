/** The steps by hand: halves for each worker, a sort by digits of eleven bits, and parts of the levels by a counter. */
import Flatbush from 'flatbush';
import { sharedByHand } from '../bare.js';
import { type Bare, type Caller, type Team, THREADS } from '../team.js';
import type { Boxes } from './config.js';
import { indexIn, keyOf, leavesAt, NODE_SIZE, parentsAt, SIDE } from './loops.js';

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;
/** Leaves, or nodes that have sixteen children, which a worker makes at once. */
const PART = 4096;

interface Shared extends Boxes {
  /** Each with the room for the next step of the sort. */
  readonly keys: readonly Uint32Array[];
  readonly orders: readonly Uint32Array[];
  /** How many keys of each worker have a digit. */
  readonly counts: readonly Uint32Array[];
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

export const caller: Caller<Boxes, Shared, SharedArrayBuffer, void, Flatbush> = {
  share(input) {
    const numbers = (n: number) => [0, 1].map(() => sharedByHand(Uint32Array, n));
    return {
      ...input,
      keys: numbers(input.n),
      orders: numbers(input.n),
      counts: Array.from({ length: THREADS }, () => sharedByHand(Uint32Array, DIGITS)),
      least: sharedByHand(Float64Array, THREADS),
      greatest: sharedByHand(Float64Array, THREADS),
    };
  },
  open: (_, { n }) => new Flatbush(n, NODE_SIZE, Float64Array, SharedArrayBuffer).data as SharedArrayBuffer,
  close: ({ message }) => Flatbush.from(message),
};

export const bare: Bare<Shared, SharedArrayBuffer> = (shared, team, data) => {
  const { n, boxes, keys, orders, least, greatest } = shared;
  const [first, end] = team.share(n);
  let [min, max] = [Infinity, -Infinity];
  for (let k = 4 * first; k < 4 * end; k++) {
    min = Math.min(min, boxes[k]);
    max = Math.max(max, boxes[k]);
  }
  [least[team.me], greatest[team.me]] = [min, max];
  team.barrier();
  [min, max] = [Math.min(...least), Math.max(...greatest)];
  const placing = { n, boxes, min, scale: SIDE / (max - min || 1) };
  for (let i = first; i < end; i++) {
    keys[0][i] = keyOf(i, placing) + 2 ** 31;
    orders[0][i] = i;
  }
  const order = sorted(shared, team);
  const index = indexIn(n, data);
  const leaves = { n, boxes, order, ...index };
  for (const [lo, hi] of team.parts(n, PART)) leavesAt(lo, hi, leaves);
  for (let from = 0, to = n; to - from > 1; ) {
    team.barrier();
    const parents = Math.ceil((to - from) / NODE_SIZE);
    for (const [lo, hi] of team.parts(parents, PART / NODE_SIZE)) parentsAt(lo, hi, { ...index, from, to });
    [from, to] = [to, to + parents];
  }
};

/** Sorts by the least digit, then by the next one. Each worker moves its half of the keys to where its digits begin. */
function sorted({ n, keys, orders, counts }: Shared, team: Team): Uint32Array {
  const [first, end] = team.share(n);
  let side = 0;
  for (let shift = 0; shift < 32; shift += DIGIT_BITS, side = 1 - side) {
    const [from, to] = [keys[side], keys[1 - side]];
    const [order, next] = [orders[side], orders[1 - side]];
    const own = counts[team.me].fill(0);
    for (let i = first; i < end; i++) own[(from[i] >>> shift) % DIGITS]++;
    team.barrier(() => {
      let sum = 0;
      for (let digit = 0; digit < DIGITS; digit++) {
        for (const each of counts) {
          const count = each[digit];
          each[digit] = sum;
          sum += count;
        }
      }
    });
    for (let i = first; i < end; i++) {
      const at = own[(from[i] >>> shift) % DIGITS]++;
      to[at] = from[i];
      next[at] = order[i];
    }
    team.barrier();
  }
  return orders[side];
}
