/**
 * The processes of the browsers that this process has started, as Linux knows them: what pages cost, and whether their workers are still there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
};

const idsIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
};

/** Processes that show pages, in Chromium and in Firefox. */
const SHOWS_PAGES = /--type=renderer|-contentproc.* tab$/;

/** This process and all that descend from it. */
function family(): ReadonlySet<string> {
  const parents = new Map(idsIn('/proc').map((pid) => [pid, /\) \S (\d+)/.exec(textOf(`/proc/${pid}/stat`))?.[1]]));
  const found = new Set([String(process.pid)]);
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.add(child);
  return found;
}

/** The threads of all pages. */
const threads = (): string[] =>
  [...family()]
    .filter((pid) => SHOWS_PAGES.test(textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()))
    .flatMap((pid) => idsIn(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`));

/** How many threads of pages are workers. */
export const workerThreads = (): number =>
  threads().filter((thread) => /^(DedicatedWorker|DOM Worker)/.test(textOf(`${thread}/comm`))).length;

/** For how long each thread of a page has run (ms). */
const cpuMs = (): ReadonlyMap<string, number> =>
  new Map(threads().map((thread) => [thread, Number(textOf(`${thread}/schedstat`).split(' ', 1)[0]) / 1e6]));

/** For how long the threads of pages run within a time (ms). */
async function cpuMsWithin(ms: number): Promise<number> {
  const before = cpuMs();
  await delay(ms);
  return [...cpuMs()].reduce((sum, [thread, after]) => sum + Math.max(0, after - (before.get(thread) ?? 0)), 0);
}

const WINDOW_MS = 1_000;
/** A browser compiles and collects garbage for some seconds after a page has done its work. */
const WINDOWS = 15;

/**
 * The share of a core that pages use in the first second in which they use less than `limit`, or else in the quietest one.
 */
export async function restingShare(limit: number): Promise<number> {
  let quietest = Number.POSITIVE_INFINITY;
  for (let k = 0; k < WINDOWS && quietest >= limit; k++)
    quietest = Math.min(quietest, (await cpuMsWithin(WINDOW_MS)) / WINDOW_MS);
  return quietest;
}
