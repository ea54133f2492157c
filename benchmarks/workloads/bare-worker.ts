/** A worker of `BareWorkers`; runs in it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Bare, Team } from './team.js';

const { workload, shared, words, me } = workerData as {
  workload: string;
  shared: unknown;
  words: Int32Array;
  me: number;
};
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const { bare } = (await import(/* @vite-ignore */ new URL(`${workload}/bare${suffix}`, import.meta.url).href)) as {
  bare: Bare<unknown, unknown, unknown>;
};
const team = new Team(words, me);
parentPort!.on('message', (message: unknown) => {
  const part = bare(shared, team, message);
  team.barrier(); // the next call takes parts from the beginning
  parentPort!.postMessage(part);
});
