/** Inventory of an application at the server, by runs: jobs that wait or run, results that are kept; and their removal. */
import type { Link } from './link.js';
import { type JobName, nameIn, placeIn, runIn, runToken } from './names.js';

/** A job that waits, or that a host has taken. */
export interface JobEntry {
  /** The run that the client has named, or the id of the client where it has named none. */
  readonly run: string;
  readonly call: string;
  /** Names the job within its call. */
  readonly job: string;
  /** The host that should run it; undefined for all. */
  readonly at: string | undefined;
}

/** Jobs and results that are left of a run, or belong to one that goes on. */
export interface RunEntry {
  readonly run: string;
  /** True if the client has named it: then another client can go on with it. */
  readonly isNamed: boolean;
  /** True if the client lives that has begun a run without a name; undefined for named runs, which any client may go on with. */
  readonly hasClient: boolean | undefined;
  /** Jobs that wait or run. */
  readonly jobs: number;
  /** Results that are kept, parts of large ones included. */
  readonly results: number;
}

/** The subjects of a stream that have messages, as the server lists them. @throws what the server answers */
export const subjectsOf = (link: Link, stream: string, filter: string): Promise<string[]> =>
  link.patiently(async () => {
    const { state } = await link.manager.streams.info(stream, { subjects_filter: filter });
    return Object.keys(state.subjects ?? {});
  });

/** Checks whether a job is in the stream no more. @throws what the server answers */
export const isGone = async (link: Link, subject: string): Promise<boolean> =>
  (await subjectsOf(link, link.names.jobs, subject)).length === 0;

/**
 * Checks whether the server lists a subject and has no message of it. One that was killed may do so, and for good: it counts messages that it has deleted, and refuses
 * each further one as the second.
 *
 * @throws what the server answers
 */
export async function isHollow(link: Link, stream: string, subject: string): Promise<boolean> {
  if ((await subjectsOf(link, stream, subject)).length === 0) return false;
  const query = { last_by_subj: subject };
  return (await link.patiently(() => link.manager.streams.getMessage(stream, query))) === null;
}

/** @param run only its jobs. @throws what the server answers */
export async function jobsOf(link: Link, run?: string): Promise<JobEntry[]> {
  const { names } = link;
  const filter = run === undefined ? names.allJobs : names.jobsOfRun(runToken(run));
  return (await subjectsOf(link, names.jobs, filter)).map((subject) => {
    const { run: token, call, key } = nameIn(subject);
    return { run: runIn(token), call, job: key, at: placeIn(subject) };
  });
}

/** @throws what the server answers */
export async function runsOf(link: Link): Promise<RunEntry[]> {
  const { names } = link;
  const counts = new Map<string, { jobs: number; results: number }>();
  const count = (subjects: readonly string[], what: 'jobs' | 'results'): void => {
    for (const subject of subjects) {
      const { run } = nameIn(subject);
      const one = counts.get(run) ?? { jobs: 0, results: 0 };
      one[what]++;
      counts.set(run, one);
    }
  };
  count(await subjectsOf(link, names.jobs, names.allJobs), 'jobs');
  count(await subjectsOf(link, names.results, names.allResults), 'results');
  return Promise.all(
    [...counts].map(async ([token, counted]) => {
      const isNamed = !names.isOfClient(token);
      return { run: runIn(token), isNamed, hasClient: isNamed ? undefined : await link.hasClient(token), ...counted };
    }),
  );
}

/** Cancels a run at all hosts, and deletes what the server has of it. @returns how much that was. @throws what the server answers */
export async function purgeRun(link: Link, run: string): Promise<{ readonly jobs: number; readonly results: number }> {
  const { manager, names, connection } = link;
  const token = runToken(run);
  const jobs = await subjectsOf(link, names.jobs, names.jobsOfRun(token));
  const purge = (stream: string, filter: string): Promise<number> =>
    link.patiently(async () => (await manager.streams.purge(stream, { filter })).purged);
  const purged = await purge(names.jobs, names.jobsOfRun(token));
  const calls = new Set(jobs.map((subject): JobName['call'] => nameIn(subject).call));
  for (const call of calls) connection.publish(names.cancel(token, call));
  const results = await purge(names.results, names.resultsOfRun(token));
  return { jobs: purged, results };
}
