/** Measures a fork and its join by fib(32) with a task for every call; runs on the main thread, the trees in lanes. */
import { type Benchmark, effort, type Setup } from '../harness/benchmark.js';
import { type Candidate, compare, of, type Samples } from '../harness/compare.js';
import {
  type AnchorReference,
  atLeast,
  atMost,
  type Bound,
  beside,
  type Figure,
  figure,
  speedUp,
} from '../harness/figure.js';
import { type Lane, withLanes } from '../harness/lane.js';
import { median } from '../harness/median.js';
import { shortNumber } from '../harness/table.js';
import { inLane, inLanesAtOnce, taskLane } from './task-lanes.js';

const N = 32;
const FIB_N = 2_178_309;
/** Number of calls in fib(32) that fork. */
const PAIRS = 3_524_577;

/** Long enough to make the start and the end of an invocation negligible. */
const LONG_N = 36;
const FIB_LONG_N = 14_930_352;

const ROUNDS = 15;
const LONG_ROUNDS = 7;

/** The kinds of task, each with the native system that it is compared with. */
const KINDS = [
  { kind: 'class', system: 'java', target: atMost(1.15) },
  { kind: 'function', system: 'rayon', target: atMost(1.2) },
] as const;

/** The comparison with twenty task classes in use. V8's inline caches distinguish at most four. */
const MANY_CLASSES = { system: 'java', target: atMost(1.4) } as const;

const anchor = (system: string, threads: number, target: Bound): AnchorReference => ({
  system,
  workload: 'fork-join',
  threads,
  target,
});

function treeFigure(samples: Samples, name: string, reference: AnchorReference): Figure {
  const times = of(samples, name);
  return figure(name, times, {
    comparisons: [beside('plain recursion', times, of(samples, 'plain recursion'))],
    anchors: [reference],
    note: `${shortNumber((median(times) * 1e6) / PAIRS)} ns a pair`,
  });
}

/** Measures both kinds of task on one worker and on two, in turn. */
async function measureVia(via: 'invoke' | 'invokeSync', setup: Setup): Promise<Figure[]> {
  const plain = taskLane('plain');
  const few = new Map([1, 2].map((p) => [p, taskLane(via, p)]));
  const many = new Map([1, 2].map((p) => [p, taskLane(via, p, true)]));
  return withLanes([plain, ...few.values(), ...many.values()], async () => {
    const candidates: Candidate[] = [inLane('plain recursion', plain, 'fib', N, FIB_N)];
    const references = new Map<string, AnchorReference>();
    const add = (name: string, lane: Lane, work: string, reference: AnchorReference): void => {
      candidates.push(inLane(name, lane, work, N, FIB_N));
      references.set(name, reference);
    };
    for (const p of [1, 2]) {
      for (const { kind, system, target } of KINDS) {
        add(`${kind} tasks, ${via}, P=${p}`, few.get(p)!, `${kind} fib`, anchor(system, p, target));
      }
      for (const family of ['uniform', 'mixed'] as const) {
        const name = `20 classes in use, ${family} tree, ${via}, P=${p}`;
        add(name, many.get(p)!, `${family} fib`, anchor(MANY_CLASSES.system, p, MANY_CLASSES.target));
      }
    }
    const samples = await compare(candidates, effort(setup, ROUNDS, 3));
    return [
      ...(via === 'invoke' ? [figure('plain recursion', of(samples, 'plain recursion'))] : []),
      ...Array.from(references, ([name, reference]) => treeFigure(samples, name, reference)),
    ];
  });
}

/** Measures the speed-up, and that of two independent processes on this machine. */
async function measureSpeedUp(setup: Setup): Promise<Figure[]> {
  const plain = [taskLane('plain'), taskLane('plain')];
  const [one, two] = [taskLane('invoke', 1), taskLane('invoke', 2)];
  return withLanes([...plain, one, two], async () => {
    const samples = await compare(
      [
        inLane('alone', plain[0], 'fib', LONG_N, FIB_LONG_N),
        inLanesAtOnce('at once', plain, 'fib', LONG_N, FIB_LONG_N),
        ...KINDS.flatMap(({ kind }) => [
          inLane(`${kind} P=1`, one, `${kind} fib`, LONG_N, FIB_LONG_N),
          inLane(`${kind} P=2`, two, `${kind} fib`, LONG_N, FIB_LONG_N),
        ]),
      ],
      effort(setup, LONG_ROUNDS),
    );
    const twice = of(samples, 'alone').map((ms) => 2 * ms);
    return [
      speedUp('two plain recursions at once: what the machine gives', twice, of(samples, 'at once')),
      ...KINDS.map(({ kind }) =>
        speedUp(
          `${kind} tasks, fib(${LONG_N}), invoke, P=2 over P=1`,
          of(samples, `${kind} P=1`),
          of(samples, `${kind} P=2`),
          { target: atLeast(1.9) },
        ),
      ),
    ];
  });
}

export const forkJoin: Benchmark = {
  name: 'fork-join',
  says: `what a fork and its join cost: fib(${N}), a task for every call, ${PAIRS.toLocaleString('en')} pairs.`,
  notFor: 'real work, whose tasks do more than add two numbers, and stealing, which hardly happens.',
  async measure(setup) {
    return [
      ...(await measureVia('invoke', setup)),
      ...(await measureVia('invokeSync', setup)),
      ...(await measureSpeedUp(setup)),
    ];
  },
};
