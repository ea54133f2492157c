/** Runs one version of one workload; runs on the main thread of a process of its own, which the build made plain JavaScript for. */
import { checkAnswer } from '../harness/compare.js';
import { serveLane } from '../harness/serve-lane.js';
import { BareWorkers, sharedByHand } from './bare.js';
import { BARE, loadWorkload, type Make, ordinary } from './workload.js';

export interface Version {
  readonly workload: string;
  readonly size: string;
  /** The name of a parallel version, or that of the version by hand; undefined for the sequential one. */
  readonly way?: string;
}

serveLane(async ({ workload, size, way }: Version) => {
  const { config, sequential, ways, byHand } = await loadWorkload(workload);
  // A program without Furcate does not pay for loading it.
  const furcate = way === undefined || way === BARE ? undefined : await import('furcate');
  const make = way === BARE ? sharedByHand : ordinary;
  const input = config.open(config.sizes[size], (furcate?.sharedArray as Make | undefined) ?? make);
  const name = `${workload}, ${size}, ${way ?? 'sequential'}`;
  const checked = (result: unknown) => () => {
    checkAnswer(name, config.answer(input, result), config.expected(input));
    config.restore?.(input);
  };
  if (way === BARE) {
    let workers: BareWorkers | undefined;
    return {
      async call() {
        workers ??= new BareWorkers(workload, byHand!, input); // a first call starts them, as it does a pool
        return checked(await workers.call());
      },
    };
  }
  if (furcate === undefined) return { call: () => checked(sequential(input)) };
  // A pool starts its threads at the first call, which is measured.
  const pool = new furcate.ForkJoinPool({ parallelism: 2 });
  return { call: async () => checked(await ways[way as string](input, pool)) };
});
