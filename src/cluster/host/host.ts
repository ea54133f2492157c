/**
 * A host: takes jobs of an application from the stream, runs them on its own pool, and publishes their results.
 *
 * A result is published before its job is acknowledged, so a host that dies in between leaves a job that another one finds done.
 */

import type { Msg } from '@nats-io/transport-node';
import { ForkJoinPool, type ForkJoinPoolOptions } from 'furcate';
import { after, stalled } from '../library.js';
import { type ShareOrder, shareOrderIn } from '../link/arrived.js';
import { bytesOfLoad } from '../link/large.js';
import { Link } from '../link/link.js';
import { HEADER, type JobName, nameIn } from '../link/names.js';
import { checkGrace, checkHost, type LinkOptions } from '../link/options.js';
import { type ClusterStats, statsOf } from '../link/stats.js';
import { keepClock } from '../timeline.js';
import { within } from '../within.js';
import { Appetite } from './appetite.js';
import { ClientWatch } from './client-watch.js';
import { DEAF, DeafJobs } from './deaf-jobs.js';
import { Heartbeat } from './heartbeat.js';
import type { HeartbeatNews } from './heartbeat-thread.js';
import { HostVoice } from './host-events.js';
import { JobMessage } from './job-message.js';
import { JobVoice, textOfError } from './job-voice.js';
import { LeaseClock } from './lease-clock.js';
import { loadTasks } from './load-tasks.js';
import { openPromise } from './open-promise.js';
import { type EndedJob, Outbox } from './outbox.js';
import type { Piecework } from './piecework.js';
import { Puller } from './puller.js';
import { BLOCK_TIMEOUT_MS } from './pulse.js';
import { MOST_DEATHS, poisonous, Redelivery } from './redelivery.js';
import { endOf, isCrash, type JobOutcome, type SharedJob } from './run-job.js';
import type { RunningJob } from './running.js';
import { StreamAge } from './stream-age.js';
import { limitOf, TimeLimit } from './time-limit.js';

/** Options of a host. */
export interface HostOptions extends LinkOptions {
  /** Appears in messages and statistics. Default: the name of the machine and the number of the process. */
  readonly name?: string | undefined;
  /** The modules that define the tasks and functions that clients invoke, as URLs. */
  readonly modules: readonly string[];
  /** Time that a job may take here, in milliseconds; one that takes longer is aborted, and fails. Default: any time. */
  readonly jobTimeoutMs?: number | undefined;
  /**
   * Time for which jobs may block the main thread of this process, in milliseconds. A host whose main thread stands still for longer ends its process, and
   * its jobs go to other hosts. Default 600,000; `Infinity` for any time.
   */
  readonly blockTimeoutMs?: number | undefined;
  /** Options of the host's pool. */
  readonly pool?: ForkJoinPoolOptions | undefined;
}

/** Time between two looks of a host that has jobs whether it should take more (milliseconds). */
const LOOK_MS = 50;
/** Time that the server may take to hear that a host leaves its jobs (milliseconds). */
const LEAVE_MS = 1000;
/** Time that a host that cannot do its work waits for its jobs (milliseconds). */
const FAILED_MS = 5000;

export class Host {
  readonly name: string;
  readonly #link: Link;
  readonly #version: string;
  readonly #jobTimeoutMs: number | undefined;
  readonly #pool: ForkJoinPool;
  readonly #appetite: Appetite;
  readonly #heartbeat: Heartbeat;
  readonly #voice: HostVoice;
  readonly #age: StreamAge;
  readonly #outbox: Outbox;
  readonly #redelivery: Redelivery;
  readonly #leases: LeaseClock;
  readonly #clients: ClientWatch;
  /** Of jobs for all hosts, and of those that should run here. */
  readonly #pullers: readonly Puller[];
  /** By the subjects of the jobs. */
  readonly #running = new Map<string, RunningJob>();
  readonly #deafJobs: DeafJobs;
  #failed: { readonly error: Error } | undefined;
  readonly #ended = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  #closing: Promise<void> | undefined;
  readonly #whenEnded = openPromise();
  /** The end of the time that the host has for its jobs when it is closed. */
  readonly #whenLeft = openPromise();
  #isLeaving = false;

  private constructor(
    link: Link,
    pool: ForkJoinPool,
    { heartbeat, voice, age }: { readonly heartbeat: Heartbeat; readonly voice: HostVoice; readonly age: StreamAge },
    options: HostOptions & { readonly name: string },
  ) {
    this.name = options.name;
    this.#link = link;
    this.#version = options.version ?? '';
    this.#jobTimeoutMs = options.jobTimeoutMs;
    this.#pool = pool;
    this.#appetite = new Appetite(pool.parallelism);
    this.#deafJobs = new DeafJobs(pool.parallelism, {
      onLeft: (text) => voice.tell('trouble', { error: text }),
      onTooMany: (error) => this.#fail(error),
    });
    this.#heartbeat = heartbeat;
    this.#voice = voice;
    this.#age = age;
    this.#leases = new LeaseClock(link.leaseMs);
    this.#outbox = new Outbox(link, this.name);
    this.#redelivery = new Redelivery(link, this.name, age);
    this.#clients = new ClientWatch(link, this.#running, (run) => voice.tell('run-abandoned', run));
    void link.connection.closed().then((cause) => {
      if (this.#closing === undefined) this.#fail(closedError(cause));
    });
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
      const onTrouble = (error: string): void => voice.tell('trouble', { error });
      await loadTasks(options.modules, onTrouble);
      const onAway = (error: string): void => voice.tell('server-gone', { error });
      link = await Link.open(options, { name: `furcate host ${name}`, onAway, onTrouble });
      keepClock(link, `host ${name}`);
      await link.addPlace(name);
      const age = await StreamAge.of(link);
      const { nats, version = '', blockTimeoutMs = BLOCK_TIMEOUT_MS } = options;
      let host: Host | undefined;
      const heartbeat = await Heartbeat.start(
        link,
        { nats, name, threads: threads.parallelism, version, blockTimeoutMs },
        {
          onNews(news) {
            if (host !== undefined) host.#hear(news);
          },
          onDeaf(error) {
            if (host !== undefined) host.#fail(error);
          },
        },
      );
      host = new Host(link, threads, { heartbeat, voice, age }, { ...options, name });
      return host;
    } catch (error) {
      await Promise.all([threads.close(), link?.close()]);
      throw error;
    }
  }

  /**
   * Takes no more jobs; resolves when those that it has are done and their results published.
   *
   * @param options `graceMs`: after how long the jobs that still run are aborted and given to other hosts, in milliseconds; by default never
   */
  async close({ graceMs }: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    checkGrace(graceMs);
    this.#closing ??= this.#end();
    if (graceMs !== undefined) void this.#closing.finally(after(graceMs, () => void this.#leave()));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns what the server has of the application, and the hosts that answer, as `cluster.stats()` tells it. */
  stats(): Promise<ClusterStats> {
    return statsOf(this.#link);
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.#clients.stop();
    this.#voice.tell('ending', { jobs: this.#running.size });
    await Promise.all(this.#pullers.map((puller) => puller.stop()));
    while (this.#ended.size > 0 && !this.#isLeaving)
      await Promise.race([Promise.all(this.#ended), this.#whenLeft.promise]);
    if (this.#isLeaving) await this.#whenLeft.promise; // a job that hears its signal ends before it is given back
    await this.#link.connection.flush().catch(() => {}); // the server is away
    await this.#heartbeat.stop();
    await (this.#isLeaving || this.#deafJobs.areInPool ? this.#pool.terminate() : this.#pool.close());
    await this.#link.close();
    this.#voice.tell('ended', {});
    if (this.#failed === undefined) this.#whenEnded.resolve();
    else this.#whenEnded.reject(this.#failed.error);
  }

  /** Gives the jobs that still run to other hosts. Those that do not hear their signal go on until the process ends, and nobody waits for them. */
  async #leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    const leaving = [...this.#running.values()].map(async ({ job, voice, controller }) => {
      controller.abort();
      voice.ended('job-left', { reason: 'the host ends, and its time to do so is over' });
      await within(LEAVE_MS, this.#redelivery.spare(job));
      job.giveBack();
    });
    await Promise.all(leaving);
    this.#whenLeft.resolve();
  }

  /** Resolves when the host was closed; rejects with what has ended it before: a lost connection, a deaf server, too many functions that go on. */
  get ended(): Promise<void> {
    return this.#whenEnded.promise;
  }
  /** Ends the host, which cannot do its work any more: a host that lives must work. */
  #fail(error: Error): void {
    if (this.#failed !== undefined) return;
    this.#failed = { error };
    this.#voice.tell('trouble', { error: `${error.message} The host ends.` });
    void this.close({ graceMs: FAILED_MS }).catch(() => {});
    setTimeout(() => this.#whenEnded.reject(error), 2 * FAILED_MS); // it may not hear that it can end
  }

  #hear(news: Exclude<HeartbeatNews, 'ready' | 'echo'>): void {
    if ('renewed' in news) {
      this.#leases.renewed(news.atMs);
      this.#voice.tell('leases-renewed', { jobs: news.renewed });
    }
    if ('trouble' in news) this.#voice.tell('trouble', { error: news.trouble });
    if (!('lost' in news)) return;
    for (const running of this.#running.values()) {
      if (!news.lost.includes(running.job.reply)) continue;
      running.isDoubtful = true;
      running.voice.leaseLost(news.silentMs);
    }
  }

  #look(): void {
    if (this.#closing !== undefined) return;
    const nowMs = performance.now();
    if (this.#leases.turn(nowMs)) for (const running of this.#running.values()) running.isDoubtful = true;
    const oldestMs = Math.max(0, ...[...this.#running.values()].map(({ startedMs }) => nowMs - startedMs));
    const wantsMore = this.#appetite.wants(this.#running.size, oldestMs);
    for (const puller of this.#pullers) {
      if (wantsMore) puller.pull();
      else puller.withdraw();
    }
  }

  #take(message: Msg): void {
    const job = new JobMessage(this.#link.connection, message);
    if (!job.isOfStream) return;
    const same = this.#running.get(job.subject);
    if (same !== undefined && !same.hasEnded && !same.controller.signal.aborted) {
      this.#takeAgain(same, job);
      return;
    }
    const running: RunningJob = {
      job,
      name: nameIn(job.subject),
      voice: new JobVoice(this.#voice, job),
      controller: new AbortController(),
      startedMs: performance.now(),
      stream: this.#age.name,
      connection: this.#age.connections,
      isDoubtful: job.deliveries > 1,
      hasEnded: false,
      pieces: undefined,
    };
    this.#running.set(job.subject, running);
    this.#heartbeat.hold(job, limitOf(job, this.#jobTimeoutMs));
    this.#clients.note(running.name.run);
    const ended = this.#run(running);
    this.#ended.add(ended);
    void ended.then(() => this.#ended.delete(ended));
    this.#look();
  }

  /** The server has delivered a job again that runs here: an outage was longer than its lease. It goes on, and is acknowledged as it came last. */
  #takeAgain(running: RunningJob, job: JobMessage): void {
    const silentMs = this.#leases.silentMs(running); // no beat has told of it yet
    if (silentMs > this.#link.leaseMs) running.voice.leaseLost(silentMs);
    this.#heartbeat.release(running.job);
    this.#heartbeat.hold(job, limitOf(job, this.#jobTimeoutMs));
    running.job = job;
    running.stream = this.#age.name;
    running.isDoubtful = true;
    void this.#redelivery.spare(job);
  }

  /** Runs a job to its end; never throws. */
  async #run(running: RunningJob): Promise<void> {
    const { voice, controller } = running;
    const { signal } = controller;
    const { job } = running;
    try {
      if (job.deliveries > 1 && (await this.#outbox.has(running.name))) {
        await this.#answer(running, 'acknowledge');
        voice.ended('job-left', { reason: 'its result is there already' });
        return;
      }
      if (job.deliveries > 1 && (await this.#redelivery.isElsewhere(job, signal))) {
        voice.ended('job-left', { reason: 'another host runs it' });
        return;
      }
      const deaths = await this.#redelivery.deathsOf(job);
      const limit = new TimeLimit(job, signal, this.#jobTimeoutMs);
      const computed = (): Promise<JobOutcome | SharedJob> => this.#compute(job, running, limit.signal);
      const isPoison = deaths >= MOST_DEATHS;
      const end = limit.end(
        isPoison ? poisonous(job.what) : await this.#deafJobs.orLeft(computed(), job, limit.signal),
      );
      if (this.#isLeaving) return;
      running.hasEnded = true;
      if (end === DEAF || signal.aborted) {
        await this.#answer(running, 'drop');
        voice.ended('job-cancelled', {});
      } else if ('isShared' in end) {
        await this.#outbox.parts(this.#endedJob(running), end);
        await this.#answer(running, 'acknowledge');
        voice.ended('job-shared', { done: end.done.length, left: end.left.length });
      } else if (isCrash(end) && deaths + 1 < MOST_DEATHS) {
        await this.#answer(running, 'giveBack');
        voice.ended('job-left', { reason: textOfError(end.value) });
      } else {
        const bytes = await this.#outbox.outcome(this.#endedJob(running), end);
        await this.#answer(running, 'acknowledge');
        voice.published(end, bytes);
      }
    } catch (error) {
      if (this.#isLeaving) return;
      voice.ended('job-left', { reason: String(error) });
      if (!this.#link.connection.isClosed()) this.#voice.tell('trouble', { error: String(error) });
    } finally {
      if (this.#running.get(job.subject) === running) this.#running.delete(job.subject);
      this.#heartbeat.release(running.job);
      this.#appetite.learn(performance.now() - running.startedMs);
      this.#look();
    }
  }

  #endedJob(running: RunningJob): EndedJob {
    const { job, controller } = running;
    const isDoubtful = (): boolean =>
      running.isDoubtful || running.connection !== this.#age.connections || this.#leases.isDoubtful(running);
    return { job, signal: controller.signal, isDoubtful };
  }

  /** Answers to the server, unless it has another stream by now: there the number of this job is that of another. */
  async #answer(running: RunningJob, answer: 'acknowledge' | 'drop' | 'giveBack'): Promise<void> {
    if (!this.#isLeaving && (await this.#age.isStill(running.stream))) running.job[answer]();
  }

  async #compute(job: JobMessage, running: RunningJob, signal: AbortSignal): Promise<JobOutcome | SharedJob> {
    const stored = { chunks: job.header(HEADER.chunks), bytes: job.bytes };
    const arrived = {
      kind: job.header(HEADER.kind),
      bytes: () => bytesOfLoad(this.#link, running.name, stored),
      version: job.header(HEADER.version),
      shares: Number(job.header(HEADER.shares)) || 0,
    };
    const control = {
      signal,
      onPieces: (pieces: Piecework) => {
        running.pieces = pieces;
      },
    };
    return endOf(arrived, { pool: this.#pool, host: this.name, version: this.#version }, control);
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

const closedError = (cause: unknown): Error =>
  new Error('furcate: the connection to the NATS server is closed.', cause === undefined ? {} : { cause });

/**
 * Makes this process a host of an application: it imports the modules, and runs jobs of their tasks and functions until it is closed.
 *
 * @throws what an import throws; Error when there is no server, or it runs without JetStream
 */
export const startHost = (options: HostOptions): Promise<Host> => stalled('startHost') ?? Host.start(options);
