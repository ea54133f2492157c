/** A worker of `BareWorkers`; runs in it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Bare, Team } from './team.js';

const { workload, input, words } = workerData as { workload: string; input: unknown; words: Int32Array };
const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const { bare } = (await import(/* @vite-ignore */ new URL(`${workload}/bare${suffix}`, import.meta.url).href)) as {
  bare: Bare<unknown>;
};
const team = new Team(words);
parentPort!.on('message', () => {
  bare(input, team);
  team.barrier(); // the next call takes parts from the beginning
  parentPort!.postMessage('done');
});
