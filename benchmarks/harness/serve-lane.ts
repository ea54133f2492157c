/** The serving end of a lane; runs on the main thread of the lane's process. */
import { READY, type Reply, type Request } from './lane.js';

/** Does the work and returns its answer, or a function that makes the answer when the clock has stopped. */
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
    const work: Work | undefined = { [READY]: () => undefined, ...(await works) }[name];
    if (work === undefined) throw new Error(`The lane has no work '${name}'.`);
    const cpu = process.cpuUsage();
    const start = performance.now();
    const result = work(argument);
    const answer = result instanceof Promise ? await result : result;
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    return { sample: { ms, cpuMs: (user + system) / 1000, answer: typeof answer === 'function' ? answer() : answer } };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
