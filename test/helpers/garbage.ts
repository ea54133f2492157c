/** Makes the garbage collector run, for tests of what is collected. Not in browsers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { Bun } = globalThis as { readonly Bun?: { gc(isSynchronous: boolean): void } };
if (Bun === undefined) setFlagsFromString('--expose-gc');
const collect: () => void = Bun === undefined ? runInNewContext('gc') : () => Bun.gc(true);

/** Event-loop turns, each after a collection, before a test counts as failed. */
const MAX_TURNS = 100;

/** Collects, and lets finalizers run, until `done`; tells whether it came to that. */
export async function collectUntil(done: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < MAX_TURNS && !done(); turn++) {
    collect();
    await new Promise((resume) => setImmediate(resume));
  }
  return done();
}

/** Collects some times, where nothing is expected to happen. */
export async function collectSomeTimes(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await new Promise((resume) => setImmediate(resume));
  }
}
