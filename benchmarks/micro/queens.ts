/** Measures a search tree with uneven branches: 11 queens, a task for every placement; runs on the main thread, trees in lanes. */
import { type Benchmark, effort } from '../harness/benchmark.js';
import { compare, of } from '../harness/compare.js';
import { beside, figure, speedUp } from '../harness/figure.js';
import { withLanes } from '../harness/lane.js';
import { inLane, taskLane } from './task-lanes.js';

const N = 11;
const SOLUTIONS = 2680;
const ROUNDS = 15;

const KINDS = [
  { kind: 'class', system: 'java' },
  { kind: 'function', system: 'rayon' },
] as const;

export const queens: Benchmark = {
  name: 'queens',
  says: `what tasks cost in a search with uneven branches: ${N} queens, a task for every placement, no cut-off.`,
  notFor: 'how fast a computer counts queens: a cut-off some rows above the last would make every version faster.',
  async measure(setup) {
    const plain = taskLane('plain');
    const [one, two] = [taskLane('invoke', 1), taskLane('invoke', 2)];
    return withLanes([plain, one, two], async () => {
      const samples = await compare(
        [
          inLane('plain recursion', plain, 'queens', N, SOLUTIONS),
          ...KINDS.flatMap(({ kind }) => [
            inLane(`${kind} tasks, P=1`, one, `${kind} queens`, N, SOLUTIONS),
            inLane(`${kind} tasks, P=2`, two, `${kind} queens`, N, SOLUTIONS),
          ]),
        ],
        effort(setup, ROUNDS, 3),
      );
      const recursion = of(samples, 'plain recursion');
      return [
        figure('plain recursion', recursion),
        ...KINDS.flatMap(({ kind, system }) => [
          ...[1, 2].map((threads) => {
            const times = of(samples, `${kind} tasks, P=${threads}`);
            return figure(`${kind} tasks, P=${threads}`, times, {
              comparisons: [beside('plain recursion', times, recursion)],
              anchors: [{ system, workload: 'queens', threads }],
            });
          }),
          speedUp(`${kind} tasks, P=2 over P=1`, of(samples, `${kind} tasks, P=1`), of(samples, `${kind} tasks, P=2`)),
        ]),
      ];
    });
  },
};
