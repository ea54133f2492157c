/** Makes the garbage collector run, for tests of what is collected. Not in browsers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { Bun } = globalThis as { readonly Bun?: { gc(isSynchronous: boolean): void } };
if (Bun === undefined) setFlagsFromString('--expose-gc');
/** Collects at once. */
export const collect: () => void = Bun === undefined ? runInNewContext('gc') : () => Bun.gc(true);

/** One turn of the event loop, in which finalizers may run. */
export const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

/** Event-loop turns, each after a collection, before a test counts as failed. */
const MAX_TURNS = 100;

/** Collects, and lets finalizers run, until `done`; tells whether it came to that. */
export async function collectUntil(done: () => boolean): Promise<boolean> {
  for (let turns = 0; turns < MAX_TURNS && !done(); turns++) {
    collect();
    await turn();
  }
  return done();
}

/** Collects some times, where nothing is expected to happen. */
export async function collectSomeTimes(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) {
    collect();
    await turn();
  }
}
