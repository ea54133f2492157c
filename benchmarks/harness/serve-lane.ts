/** The serving end of a lane; runs on the main thread of the lane's process. */
import type { Reply, Request } from './lane.js';

export type Work = (argument: unknown) => unknown;

/**
 * Serves requests by name until the parent disconnects.
 *
 * @param open returns the lane's pieces of work, by name; its argument is that of the `Lane`
 */
export function serveLane<A>(open: (argument: A) => Record<string, Work> | Promise<Record<string, Work>>): void {
  const works = Promise.resolve(open(JSON.parse(process.argv[2]) as A));
  process.on('message', async ({ work, argument }: Request) => {
    process.send?.(await perform(works, work, argument));
  });
  process.on('disconnect', () => process.exit());
}

async function perform(works: Promise<Record<string, Work>>, name: string, argument: unknown): Promise<Reply> {
  try {
    const work = (await works)[name];
    if (work === undefined) throw new Error(`The lane has no work '${name}'.`);
    const start = performance.now();
    const result = work(argument);
    const answer = result instanceof Promise ? await result : result;
    return { sample: { ms: performance.now() - start, answer } };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
