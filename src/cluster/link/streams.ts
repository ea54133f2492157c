/**
 * The streams of an application and the consumers of its hosts: made by the first program that needs them.
 *
 * The server refuses a second message of a subject in both streams, for as long as the first one is there. So a job can be submitted again at
 * any time without being queued twice, and of several results of a job the first one counts.
 */
import type { ConsumerInfo, JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import type { JobTarget, Names } from './names.js';

const DEFAULT_LEASE_MS = 5000;
/** Time for which results that nobody has read are kept, and jobs that no host has taken (milliseconds): a week. */
const KEEP_MS = 7 * 24 * 3_600_000;
/** JetStream's errors: there is no such stream, or consumer. */
const NO_STREAM = 10059;
const NO_CONSUMER = 10014;
/** The same, where another program has made it meanwhile, with other options. */
const CONSUMER_EXISTS = 10148;
const CONSUMER_NAME_IN_USE = 10013;
/** JetStream's error: a stream of this name has another configuration. */
const STREAM_DIFFERS = 10058;
/**
 * Time for which the jobs of one host have a consumer that nobody pulls from (milliseconds): a day. Clients give them to other hosts long
 * before.
 */
const PLACE_KEPT_MS = 24 * 3_600_000;
/** Hosts that may wait for jobs at the same time. */
const MOST_WAITING = 4096;

/** The server takes whole numbers only. */
const nanos = (ms: number): number => Math.round(ms * 1e6);

/** Settings of the streams that an operator may decide about. What is not given stays as it is. */
export interface StreamOptions {
  /** On how many servers of a NATS cluster each stream is: 1, 3 or 5. Default: as it is, else 1. */
  readonly replicas?: number | undefined;
  /**
   * Number of bytes that each stream may have. When it has as many, calls and jobs fail that would store more. Default: as it is, else no
   * limit.
   */
  readonly maxBytes?: number | undefined;
}

/**
 * Makes the streams of an application, where they are not there.
 *
 * @returns names these streams: others of the same names are other streams
 * @throws what the server refuses
 */
export async function makeStreams(manager: JetStreamManager, names: Names, options: StreamOptions): Promise<string> {
  const { jobs, results, allJobs, allResults } = names;
  const once = { max_msgs_per_subject: 1, discard: 'new', discard_new_per_subject: true } as const;
  const kept = { max_age: nanos(KEEP_MS), storage: 'file', ...once } as const;
  const wanted = Object.entries({ num_replicas: options.replicas, max_bytes: options.maxBytes });
  const limits = Object.fromEntries(wanted.filter(([, value]) => value !== undefined)) as Limits;
  const madeJobs = await ensure(manager, { name: jobs, subjects: [allJobs], retention: 'workqueue', ...kept }, limits);
  const all = { name: results, subjects: [allResults], allow_direct: true, ...kept };
  return nameOfStreams(madeJobs, await ensure(manager, all, limits));
}

/** Creation times of both. */
const nameOfStreams = (jobs: StreamInfo, results: StreamInfo): string => `${jobs.created} ${results.created}`;

/**
 * Names the streams that there are, as `makeStreams` does; undefined where one is missing, or the consumer of the hosts is, or is ahead of its stream.
 *
 * @throws what the server answers
 */
export async function streamsThere(manager: JetStreamManager, names: Names): Promise<string | undefined> {
  try {
    const consumer = await manager.consumers.info(names.jobs, names.consumer(undefined));
    const [jobs, results] = [await manager.streams.info(names.jobs), await manager.streams.info(names.results)];
    return isAhead(consumer, jobs) ? undefined : nameOfStreams(jobs, results);
  } catch (error) {
    if (codeOf(error) === NO_STREAM || isMissingConsumer(error)) return undefined;
    throw error;
  }
}

/** Settings of a stream that may change once it is there. */
type Limits = Partial<Pick<StreamConfig, 'num_replicas' | 'max_bytes'>>;

async function ensure(
  manager: JetStreamManager,
  stream: Parameters<JetStreamManager['streams']['add']>[0],
  limits: Limits,
): Promise<StreamInfo> {
  const { name } = stream;
  try {
    const info = await manager.streams.info(name);
    const isWanted = (Object.keys(limits) as (keyof Limits)[]).every((key) => info.config[key] === limits[key]);
    return isWanted ? info : await manager.streams.update(name, limits);
  } catch (error) {
    if (codeOf(error) !== NO_STREAM) throw error;
    return manager.streams.add({ ...stream, ...limits }).catch((cause: unknown) => {
      if (codeOf(cause) !== STREAM_DIFFERS) throw cause;
      return ensure(manager, stream, limits); // another program has made it meanwhile, with other limits
    });
  }
}

/**
 * Makes the consumer of a place. One that is ahead of the stream is made again: a server that was killed may have lost the numbers of the stream and kept those of
 * the consumer, which would deliver nothing until the stream has caught up with it.
 *
 * @param leaseMs how long a host may be silent; undefined leaves it as it is. It is never lowered: hosts that run tell by the old one that they live
 * @throws what the server refuses
 */
export async function makeConsumer(
  manager: JetStreamManager,
  names: Names,
  { place, leaseMs }: { readonly place: JobTarget; readonly leaseMs: number | undefined },
): Promise<void> {
  const { jobs } = names;
  const consumer = names.consumer(place);
  let ack_wait = nanos(leaseMs ?? DEFAULT_LEASE_MS);
  try {
    const info = await manager.consumers.info(jobs, consumer);
    const { ack_wait: before = 0 } = info.config;
    if (leaseMs === undefined || before > ack_wait) ack_wait = before;
    if (!isAhead(info, await manager.streams.info(jobs))) {
      if (before < ack_wait) await manager.consumers.update(jobs, consumer, { ack_wait });
      return;
    }
    await manager.consumers.delete(jobs, consumer);
  } catch (error) {
    if (!isMissingConsumer(error)) throw error;
  }
  const adding = manager.consumers.add(jobs, {
    durable_name: consumer,
    filter_subject: names.jobsAt(place),
    ...keptFor(place, names.version),
    ack_policy: 'explicit',
    ack_wait,
    max_ack_pending: -1,
    max_waiting: MOST_WAITING,
    max_deliver: -1,
  });
  await adding.catch((cause: unknown) => {
    if (![CONSUMER_EXISTS, CONSUMER_NAME_IN_USE].includes(codeOf(cause) ?? 0)) throw cause;
    return makeConsumer(manager, names, { place, leaseMs }); // it is there now, and may need a longer lease
  });
}

/** Checks whether a consumer has delivered numbers that the stream has not reached. The stream was asked later. */
const isAhead = ({ delivered }: ConsumerInfo, { state }: StreamInfo): boolean => delivered.stream_seq > state.last_seq;

/** Time for which a consumer is there that nobody pulls from: for as long as jobs may wait for hosts of their version. */
const keptFor = (place: JobTarget, version: string): { readonly inactive_threshold?: number } =>
  place !== undefined
    ? { inactive_threshold: nanos(PLACE_KEPT_MS) }
    : version === ''
      ? {}
      : { inactive_threshold: nanos(KEEP_MS) };

/** Checks whether an error says that there is no such consumer. */
export const isMissingConsumer = (error: unknown): boolean => codeOf(error) === NO_CONSUMER;

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;
