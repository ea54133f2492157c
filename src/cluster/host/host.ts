/**
 * A host: takes jobs of an application from the stream, runs them on its own pool, and publishes their results.
 *
 * A result is published before its job is acknowledged, so a host that dies in between leaves a job that another one finds done.
 */

import type { Msg } from '@nats-io/transport-node';
import { ForkJoinPool, type ForkJoinPoolOptions, WorkerCrashError } from 'furcate';
import { type ShareOrder, shareOrderIn } from '../link/arrived.js';
import type { ResultForm } from '../link/job-kind.js';
import { bytesOfLoad, dropLoad, type Load, loadOf } from '../link/large.js';
import { Link, type LinkOptions } from '../link/link.js';
import { HEADER, type JobName, nameIn } from '../link/names.js';
import { checkHost } from '../link/options.js';
import { Appetite } from './appetite.js';
import { Heartbeat } from './heartbeat.js';
import type { HeartbeatNews } from './heartbeat-thread.js';
import { HostVoice } from './host-events.js';
import { JobMessage } from './job-message.js';
import { JobVoice } from './job-voice.js';
import { loadTasks } from './load-tasks.js';
import type { Piecework } from './piecework.js';
import { Puller } from './puller.js';
import { bytesOf, endOf, type Outcome, type Shared } from './run-job.js';

/** How a host is started. */
export interface HostOptions extends LinkOptions {
  /** Appears in messages and statistics. Default: the name of the machine and the number of the process. */
  readonly name?: string | undefined;
  /** The modules that define the tasks and functions that clients invoke, as URLs. */
  readonly modules: readonly string[];
  /** Options of the host's pool. */
  readonly pool?: ForkJoinPoolOptions | undefined;
}

/** Hosts that a job may cost. */
const MOST_DEATHS = 3;
/** How often a host that has jobs looks whether it should take more (milliseconds). */
const LOOK_MS = 50;

interface Running {
  readonly name: JobName;
  readonly voice: JobVoice;
  readonly controller: AbortController;
  readonly startedMs: number;
  /** Runs the job, where it can be shared. */
  pieces: Piecework | undefined;
}

export class Host {
  readonly name: string;
  readonly #link: Link;
  readonly #version: string;
  readonly #pool: ForkJoinPool;
  readonly #appetite: Appetite;
  readonly #heartbeat: Heartbeat;
  readonly #voice: HostVoice;
  /** Of jobs for all hosts, and of those that should run here. */
  readonly #pullers: readonly Puller[];
  readonly #running = new Map<string, Running>();
  readonly #ended = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  #closing: Promise<void> | undefined;

  private constructor(
    link: Link,
    pool: ForkJoinPool,
    { heartbeat, voice }: { readonly heartbeat: Heartbeat; readonly voice: HostVoice },
    options: HostOptions & { readonly name: string },
  ) {
    this.name = options.name;
    this.#link = link;
    this.#version = options.version ?? '';
    this.#pool = pool;
    this.#appetite = new Appetite(pool.parallelism);
    this.#heartbeat = heartbeat;
    this.#voice = voice;
    link.onDisconnect(() => voice.tell('server-gone', { error: 'The connection to the NATS server is lost.' }));
    link.onReconnect(() => voice.tell('server-back', {}));
    voice.tell('ready', { version: this.#version, threads: pool.parallelism });
    const take = (message: Msg): void => this.#take(message);
    this.#pullers = [options.name, undefined].map((place) => new Puller(link, place, take));
    link.hear(link.names.cancel('*', '*'), ({ subject }) => this.#cancel(nameIn(subject)));
    link.hear(link.names.share('*', '*'), ({ subject, data }) => this.#share(nameIn(subject), shareOrderIn(data)));
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  /** @internal */
  static async start(options: HostOptions): Promise<Host> {
    checkHost(options);
    const { hostname } = process.getBuiltinModule('node:os');
    const name = options.name ?? `${hostname()}-${process.pid}`;
    const voice = new HostVoice({ host: name, app: options.app ?? 'default' });
    const threads = new ForkJoinPool({ name: `furcate-${name}`, ...options.pool });
    let link: Link | undefined;
    try {
      await loadTasks(options.modules);
      const onAway = (error: string): void => voice.tell('server-gone', { error });
      link = await Link.open(options, { name: `furcate host ${name}`, onAway });
      await link.addPlace(name);
      const { nats } = options;
      const { leaseMs } = link;
      const data = { nats, name, threads: threads.parallelism, who: link.names.who, leaseMs };
      let host: Host | undefined;
      const heartbeat = await Heartbeat.start(data, (news) => {
        if (host !== undefined) host.#hear(news);
      });
      host = new Host(link, threads, { heartbeat, voice }, { ...options, name });
      return host;
    } catch (error) {
      await Promise.all([threads.close(), link?.close()]);
      throw error;
    }
  }

  /** Takes no more jobs; resolves when those that it has are done and their results published. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.#voice.tell('ending', { jobs: this.#running.size });
    await Promise.all(this.#pullers.map((puller) => puller.stop()));
    while (this.#ended.size > 0) await Promise.all(this.#ended);
    await this.#link.connection.flush().catch(() => {}); // the server is away
    await this.#heartbeat.stop();
    await this.#pool.close();
    await this.#link.close();
    this.#voice.tell('ended', {});
  }

  #hear(news: Exclude<HeartbeatNews, 'ready'>): void {
    if ('renewed' in news) this.#voice.tell('leases-renewed', { jobs: news.renewed });
    else for (const reply of news.lost) this.#running.get(reply)?.voice.leaseLost(news.silentMs);
  }

  #look(): void {
    if (this.#closing !== undefined) return;
    const nowMs = performance.now();
    const oldestMs = Math.max(0, ...[...this.#running.values()].map(({ startedMs }) => nowMs - startedMs));
    const wantsMore = this.#appetite.wants(this.#running.size, oldestMs);
    for (const puller of this.#pullers) {
      if (wantsMore) puller.pull();
      else puller.withdraw();
    }
  }

  #take(message: Msg): void {
    const job = new JobMessage(this.#link.connection, message);
    const running: Running = {
      name: nameIn(job.subject),
      voice: new JobVoice(this.#voice, job),
      controller: new AbortController(),
      startedMs: performance.now(),
      pieces: undefined,
    };
    this.#running.set(job.reply, running);
    this.#heartbeat.hold(job.reply);
    const ended = this.#run(job, running);
    this.#ended.add(ended);
    void ended.then(() => this.#ended.delete(ended));
    this.#look();
  }

  /** Runs a job to its end; never throws. */
  async #run(job: JobMessage, running: Running): Promise<void> {
    const { voice, controller } = running;
    const { signal } = controller;
    const deaths = job.deliveries - 1;
    try {
      if (deaths > 0 && (await this.#isDone(nameIn(job.subject)))) {
        job.acknowledge();
        voice.ended('job-left', { reason: 'its result is there already' });
        return;
      }
      const end = deaths < MOST_DEATHS ? await this.#compute(job, running) : poisonous(whatOf(job));
      if (signal.aborted) {
        job.drop();
        voice.ended('job-cancelled', {});
      } else if ('isShared' in end) {
        await this.#publishParts(job, end, signal);
        voice.ended('job-shared', { done: end.done.size, left: end.left.length });
      } else if (end.failed && WorkerCrashError.is(end.value) && deaths + 1 < MOST_DEATHS) {
        job.giveBack();
        voice.ended('job-left', { reason: String(end.value) });
      } else voice.published(end, await this.#publishResult(job, end, signal));
    } catch (error) {
      voice.ended('job-left', { reason: String(error) });
      if (!this.#link.connection.isClosed()) this.#voice.tell('trouble', { error: String(error) });
    } finally {
      this.#running.delete(job.reply);
      this.#heartbeat.release(job.reply);
      this.#appetite.learn(performance.now() - running.startedMs);
      this.#look();
    }
  }

  async #compute(job: JobMessage, running: Running): Promise<Outcome | Shared> {
    const stored = { chunks: job.header(HEADER.chunks), bytes: job.bytes };
    const arrived = {
      kind: job.header(HEADER.kind),
      bytes: () => bytesOfLoad(this.#link, running.name, stored),
      version: job.header(HEADER.version),
    };
    const control = {
      signal: running.controller.signal,
      onPieces: (pieces: Piecework) => {
        running.pieces = pieces;
      },
    };
    return endOf(arrived, { pool: this.#pool, host: this.name, version: this.#version }, control);
  }

  /** @returns the bytes of the result */
  async #publishResult(job: JobMessage, outcome: Outcome, signal: AbortSignal): Promise<number> {
    const bytes = await this.#publish(job, { path: '', outcome }, signal);
    job.acknowledge();
    return bytes;
  }

  /** The results of the parts that are done come before the list of all parts: the client submits those that have no result by then. */
  async #publishParts(job: JobMessage, { done, left }: Shared, signal: AbortSignal): Promise<void> {
    await Promise.all(
      [...done].map(([path, value]) => this.#publish(job, { path, outcome: { failed: false, value } }, signal)),
    );
    const form: ResultForm = 'parts';
    const headers = { [HEADER.form]: form, [HEADER.host]: this.name };
    const list = new TextEncoder().encode(JSON.stringify([...done.keys(), ...left]));
    await this.#store(nameIn(job.subject), { bytes: list, headers }, signal);
    job.acknowledge();
  }

  /** Publishes the outcome of a job, or of the part of it that has this path. @returns its bytes */
  async #publish(
    job: JobMessage,
    { path, outcome }: { readonly path: string; readonly outcome: Outcome },
    signal: AbortSignal,
  ): Promise<number> {
    const { key, ...call } = nameIn(job.subject);
    const name = { ...call, key: key + path };
    const bytes = bytesOf(outcome);
    const load = await loadOf(this.#link, name, { bytes, until: signal }).catch((cause: unknown): Load => {
      const value = notStored(whatOf(job), bytes.length, cause);
      return { bytes: bytesOf({ failed: true, value }), headers: {} };
    });
    await this.#store(name, { ...load, headers: { [HEADER.host]: this.name, ...load.headers } }, signal);
    return bytes.length;
  }

  async #store(name: JobName, load: Load, signal: AbortSignal): Promise<void> {
    const { manager, names } = this.#link;
    const { bytes, headers } = load;
    const seq = await this.#link.publish(names.result(name), bytes, { headers, until: signal });
    if (seq !== undefined && !signal.aborted) return;
    // Another host was first, or the client has cancelled the call, and taken back what was stored before.
    if (seq !== undefined) {
      const own = { filter: names.result(name), seq: seq + 1 }; // not that of a later call
      await manager.streams.purge(names.results, own).catch(() => {}); // it goes by itself, later
    }
    await dropLoad(this.#link, name, load);
  }

  async #isDone(name: JobName): Promise<boolean> {
    const { manager, names } = this.#link;
    const result = await this.#link.patiently(() =>
      manager.streams.getMessage(names.results, { last_by_subj: names.result(name) }),
    );
    return result !== null;
  }

  #share({ run, call }: Omit<JobName, 'key'>, order: ShareOrder | undefined): void {
    if (order === undefined) return;
    const { keys, wanted } = order;
    for (const { name, pieces } of this.#running.values())
      if (name.run === run && name.call === call && keys.includes(name.key)) pieces?.share(wanted);
  }

  #cancel({ run, call }: Omit<JobName, 'key'>): void {
    for (const { name, controller } of this.#running.values())
      if (name.run === run && name.call === call) controller.abort();
  }
}

const whatOf = (job: JobMessage): string => job.header(HEADER.what);

const poisonous = (what: string): Outcome => ({
  failed: true,
  value: new WorkerCrashError(
    `furcate: a job of ${what} has cost ${MOST_DEATHS} hosts: each died, or was silent for longer than its lease, while it ran the job. It is not tried again.`,
  ),
});

const notStored = (what: string, sizeBytes: number, cause: unknown): Error =>
  new RangeError(
    `furcate: the result of ${what} has ${sizeBytes} bytes, and the server does not store them: ${String(cause)}. Return less, or give the server more room.`,
    { cause },
  );

/**
 * Makes this process a host of an application: it imports the modules, and runs jobs of their tasks and functions until it is closed.
 *
 * @throws what an import throws; Error when there is no server, or it runs without JetStream
 */
export const startHost = (options: HostOptions): Promise<Host> => Host.start(options);
