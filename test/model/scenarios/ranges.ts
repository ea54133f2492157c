/** The ranges of lanes: each tile is run once, and all that precede the least failure; claims, steals and failures at once. */
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';

const LANE_WORDS = 32;
/** Of `shareOut`, which the set-up of a scenario cannot call. */
const NO_TILE = 0x7fffffff;

export interface RangesCase {
  /** Tiles [lo, hi) of each lane at first. */
  readonly shares: readonly (readonly [lo: number, hi: number])[];
  /** Tiles that fail. */
  readonly failing?: readonly number[];
}

export function rangesScenario({ shares, failing = [] }: RangesCase): Scenario {
  const lanes = shares.length;
  const tiles = Math.max(...shares.map(([, hi]) => hi));
  const ran = (lanes + 1) * LANE_WORDS;

  /** What stages.ts does with them. */
  const laneBody = (lane: number): ThreadBody => ({
    name: `lane ${lane}`,
    run({ ranges }, { seam, buffer }) {
      const words = new Int32Array(buffer, 0, ran);
      const runs = new Int32Array(buffer, 4 * ran);
      for (;;) {
        let claimed = ranges.claim(words, lane, 1, 1);
        if (claimed === ranges.NONE) claimed = ranges.steal(words, lane, 1, 1);
        if (claimed === ranges.NONE) return;
        const tile = ranges.firstOf(claimed);
        if (tile > ranges.leastFailure(words)) {
          ranges.drop(words, lane);
          continue;
        }
        const times = seam.add(runs, tile, 1);
        if (times !== 0) throw new Error(`tile ${tile} is run again`);
        if (failing.includes(tile)) ranges.noteFailure(words, lane, tile);
      }
    },
  });
  const least = Math.min(NO_TILE, ...failing);
  return {
    name: `lanes of ${shares.map(([lo, hi]) => hi - lo).join(' + ')} tiles${failing.length === 0 ? '' : `, of which ${failing} fail`}`,
    words: ran + tiles + (tiles % 2),
    threads: shares.map((_, lane) => laneBody(lane)),
    setUp(cells) {
      cells[0] = NO_TILE;
      for (const [lane, [lo, hi]] of shares.entries()) {
        cells[(lane + 1) * LANE_WORDS] = lo | (hi << 16);
        cells[(lane + 1) * LANE_WORDS + 1] = NO_TILE;
      }
    },
    check({ words }) {
      if (words[0] !== least) throw new Error(`the least failure is ${words[0]}, not ${least}`);
      for (let tile = 0; tile < tiles; tile++) {
        const times = words[ran + tile] ?? 0;
        if (times > 1 || (times === 0 && tile <= least)) throw new Error(`tile ${tile} was run ${times} times`);
      }
      let own = NO_TILE;
      for (let lane = 0; lane < lanes; lane++) {
        const range = words[(lane + 1) * LANE_WORDS] ?? 0;
        if ((range & 0xffff) !== range >>> 16) throw new Error(`lane ${lane} left tiles`);
        own = Math.min(own, words[(lane + 1) * LANE_WORDS + 1] ?? 0);
      }
      if (own !== least) throw new Error(`no lane has the error of tile ${least}`);
    },
    nameOf: (at) =>
      at >= ran
        ? `runs of tile ${at - ran}`
        : at === 0
          ? 'least failure'
          : `${at % LANE_WORDS === 0 ? 'range' : 'failure'} of lane ${Math.floor(at / LANE_WORDS) - 1}`,
  };
}

export const RANGES_CASES: Readonly<Record<string, RangesCase>> = {
  'one lane has all': {
    shares: [
      [0, 3],
      [3, 3],
    ],
  },
  'two lanes': {
    shares: [
      [0, 2],
      [2, 4],
    ],
  },
  'three lanes': {
    shares: [
      [0, 2],
      [2, 2],
      [2, 3],
    ],
  },
  'one tile, three lanes': {
    shares: [
      [0, 1],
      [1, 1],
      [1, 1],
    ],
  },
  'two that fail': {
    shares: [
      [0, 2],
      [2, 4],
    ],
    failing: [1, 2],
  },
  'three that fail': {
    shares: [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
    failing: [0, 1, 2],
  },
};
