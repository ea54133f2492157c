/** Measures the processor time of processes with idle pools; runs on the main thread, pools in lanes. */
import type { Benchmark } from '../harness/benchmark.js';
import { atMost, type Figure, figure } from '../harness/figure.js';
import { Lane, withLanes } from '../harness/lane.js';
import type { IdleLane, Watch } from './idle-lane.js';

const ROUNDS = 3;
const WATCH_MS = 5000;

/** Rest before the watch (ms): longer than the first worker polls the caller's state after invokeSync. */
const REST_MS = 1500;

/** Highest share of a core, in percent. `top` shows it as 0.0. */
const TARGET = atMost(0.1);

const LANES: readonly (IdleLane & { readonly what: string; readonly restMs: number; readonly hasTarget: boolean })[] = [
  { what: 'no pool: the process itself', parallelism: 0, via: 'invoke', restMs: REST_MS, hasTarget: false },
  { what: 'P=2, idle after invoke', parallelism: 2, via: 'invoke', restMs: REST_MS, hasTarget: true },
  { what: 'P=16, idle after invoke', parallelism: 16, via: 'invoke', restMs: REST_MS, hasTarget: true },
  { what: 'P=2, idle after invokeSync', parallelism: 2, via: 'invokeSync', restMs: REST_MS, hasTarget: true },
];

/** Measures all lanes at once: they do nothing, and processor time is counted for each process. */
async function measureAll(rounds: number, watchMs: number): Promise<Figure[]> {
  const lanes = LANES.map((lane) => new Lane(lane.what, new URL('./idle-lane.ts', import.meta.url), lane));
  return withLanes(lanes, async () => {
    const percents: number[][] = LANES.map(() => []);
    for (let round = 0; round < rounds; round++) {
      const watches = lanes.map((lane, k) => lane.run('watch', { restMs: LANES[k].restMs, watchMs } satisfies Watch));
      const samples = await Promise.all(watches);
      for (const [k, { answer }] of samples.entries()) percents[k].push((answer as number) * 100);
    }
    return LANES.map(({ what, hasTarget }, k) =>
      figure(what, percents[k], { unit: '%', ...(hasTarget ? { target: TARGET } : {}) }),
    );
  });
}

export const idle: Benchmark = {
  name: 'idle',
  says: `what share of a core a process with an idle pool uses, over ${WATCH_MS / 1000} s.`,
  notFor: 'the tens of microseconds that workers spin after their last task, and the second after an invokeSync.',
  measure: ({ short }) => (short ? measureAll(1, WATCH_MS / 5) : measureAll(ROUNDS, WATCH_MS)),
};
