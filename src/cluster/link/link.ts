/**
 * The connection of a client or a host to the server: calls of JetStream, and publishing, that last through an outage.
 */
import type { ConsumerInfo, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Msg, MsgHdrs, NatsConnection, Subscription } from '@nats-io/transport-node';
import { guarded, type HostAnswer, hostAnswerIn, type MessageCallback, type Say } from './arrived.js';
import { type JobTarget, Names } from './names.js';
import type { LinkOptions } from './options.js';
import { loadPackages, type Packages } from './packages.js';
import { explained, hasFewPeers, isFull, isNotEnabled, isTaken, refusalIn } from './refusals.js';
import { connectionOptions, shownServers } from './server.js';
import { isMissingConsumer, makeConsumer, makeStreams, type StreamOptions, streamsThere } from './streams.js';

/** Time that one try to publish takes at most (milliseconds). */
const TRY_MS = 1000;
/** Time between two tries (milliseconds). */
const RETRY_MS = 100;
/** Wait for an answer that the server cannot give now. */
interface Patience {
  /** Time for which it may refuse, before that counts as its answer (milliseconds). */
  readonly refusedMs: number;
  /** Waits for the servers that a stream of several replicas needs for as long as it takes, and is told so once. */
  readonly onFewPeers?: (why: Error) => void;
}

const PATIENT: Patience = { refusedMs: 20_000 };
/** Patience of a program that connects: a server without JetStream must not keep it waiting. */
const HASTY: Patience = { refusedMs: 3000 };
/** Time before it is looked which streams there are (milliseconds): what was deleted mostly goes together. */
const RESTORE_MS = 250;
/** Time between two tries to reconnect (milliseconds). */
const RECONNECT_MS = 250;
/** Time for which hosts may think before they say who they are, and all of them together (milliseconds). */
const WHO_MS = 300;
const MOST_WHO_MS = 2000;
/** The status of NATS where nobody takes a message: no stream does, or JetStream is not ready. */
export const NO_RESPONDERS = 503;
/** The number of a message that may be in a stream: numbers begin at 1. */
export const UNKNOWN = 0;

/** Connections that last: a server that refuses the user for a while, as when passwords change, is as one that is away. */
export const LASTING = { maxReconnectAttempts: -1, ignoreAuthErrorAbort: true } as const;

export class Link {
  readonly connection: NatsConnection;
  readonly names: Names;
  readonly manager: JetStreamManager;
  /** Begins the subjects on which this connection hears answers. */
  readonly inboxPrefix: string;
  /** Connections so far; streams that had to be made again count as another one. */
  connections = 1;
  readonly #packages: Packages;
  readonly #client: JetStreamClient;
  readonly #onReconnect = new Set<() => void>();
  readonly #onDisconnect = new Set<() => void>();
  /** Hosts whose own jobs have a consumer that this program needs. */
  readonly #places = new Set<string>();
  /** The lease that the consumer has, in case that it must be made again. */
  #leaseMs: number | undefined;
  /** Options that the streams should have. */
  #streams: StreamOptions = {};
  /** Streams that there are, as `streamsThere` names them. */
  #made = '';
  #restoring: Promise<void> | undefined;
  #say: Say | undefined;
  #isUp = true;
  #up: Promise<void> = Promise.resolve();

  private constructor(
    connection: NatsConnection,
    names: Names,
    manager: JetStreamManager,
    packages: Packages,
    inboxPrefix: string,
  ) {
    this.inboxPrefix = inboxPrefix;
    this.connection = connection;
    this.names = names;
    this.manager = manager;
    this.#packages = packages;
    this.#client = manager.jetstream();
    void this.#watch();
  }

  /**
   * Connects, and makes the streams of the application where they are not there yet.
   *
   * @param onTrouble is told of messages that could not be used; else stderr is
   * @param onAway waits for a server that is not up yet, as hosts do, and is told why it must; without it, such a server is an error
   * @throws Error without the NATS packages, a server, or JetStream
   */
  static async open(
    { nats, app = 'default', version, leaseMs, domain, ...streams }: LinkOptions,
    { name, onAway, onTrouble }: { readonly name: string; readonly onAway?: Say; readonly onTrouble?: Say },
  ): Promise<Link> {
    const packages = await loadPackages();
    const options = connectionOptions(packages.transport, nats);
    const dial = (waitOnFirstConnect: boolean): Promise<NatsConnection> =>
      packages.transport.connect({
        name,
        reconnectTimeWait: RECONNECT_MS,
        waitOnFirstConnect,
        ...options,
        ...LASTING,
      });
    const connection = await dial(false).catch((cause: unknown) => {
      const isRefused = /authori[sz]ation|authentication/i.test(messageOf(cause));
      const what = isRefused
        ? `the NATS server at ${shownServers(nats)} refuses this user: ${messageOf(cause)}.`
        : `no NATS server answers at ${shownServers(nats)}: ${messageOf(cause)}.`;
      const cure = isRefused ? 'Look at the user, password or token in options.nats.' : 'Start one: nats-server -js';
      if (onAway === undefined) throw new Error(`furcate: ${what} ${cure}`, { cause });
      onAway(`furcate: ${what} ${name} goes on trying.`);
      return dial(true);
    });
    try {
      const manager = await packages.jetstream.jetstreamManager(connection, {
        checkAPI: false,
        ...(domain === undefined ? {} : { domain }),
      });
      const link = new Link(connection, new Names(app, version), manager, packages, options.inboxPrefix ?? '_INBOX');
      link.#say = onTrouble;
      link.#streams = streams;
      const onFewPeers = (why: Error): void => onAway?.(`${why.message} ${name} goes on trying.`);
      await link.#makeAll(leaseMs, onAway === undefined ? HASTY : { ...PATIENT, onFewPeers });
      return link;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Runs an API call again while the server is away or JetStream is not ready. @throws what it throws in the end */
  async patiently<T>(call: () => Promise<T>, { refusedMs, onFewPeers } = PATIENT): Promise<T> {
    const startedMs = performance.now();
    let tell = onFewPeers;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (onFewPeers !== undefined && hasFewPeers(error)) {
          tell?.(explained(error) as Error);
          tell = undefined;
        } else if (!this.#isOutage(error, performance.now() - startedMs, refusedMs)) throw explained(error);
      }
      await this.#retryTime();
    }
  }

  /**
   * Publishes to a stream, as often as it takes.
   *
   * @param options `until` ends the tries when it is aborted; `onRetry` hears of each try after the first
   * @returns its number in the stream; `UNKNOWN` where an earlier try may have stored it, whose answer was lost; undefined where it is not
   *   stored, because the subject has a message already or `until` is aborted
   * @throws Error when the server refuses it, or the link is closed
   */
  async publish(
    subject: string,
    payload: Uint8Array,
    {
      headers,
      until,
      onRetry,
    }: {
      readonly headers: Readonly<Record<string, string>>;
      readonly until?: { aborted: boolean };
      readonly onRetry?: () => void;
    },
  ): Promise<number | undefined> {
    const startedMs = performance.now();
    const isAborted = (): boolean => until?.aborted === true;
    let notStored: typeof UNKNOWN | undefined;
    for (;;) {
      if (isAborted()) return notStored;
      try {
        const sent = { headers: this.#headers(headers), timeout: TRY_MS };
        return (await this.#client.publish(subject, payload, sent)).seq;
      } catch (error) {
        if (isTaken(error)) return notStored;
        notStored = UNKNOWN;
        if (isAborted()) return notStored;
        if (!this.#isOutage(error, performance.now() - startedMs)) throw explained(error);
        if (statusOf(error) === NO_RESPONDERS) void this.restore();
      }
      onRetry?.();
      await this.#retryTime();
    }
  }

  /** Hears what is published to a subject. */
  hear(subject: string, hear: MessageCallback<Msg>): Subscription {
    return this.connection.subscribe(subject, { callback: guarded(hear, this.#say) });
  }

  /** As `hear`, and makes sure that the server permits it. @throws Error where it does not */
  async mustHear(subject: string, hear: MessageCallback<Msg>): Promise<void> {
    const callback = guarded(hear, this.#say);
    let refusal: Error | undefined;
    this.connection.subscribe(subject, {
      callback: (error, message) => {
        refusal ??= error ?? undefined;
        callback(error, message);
      },
    });
    await this.connection.flush(); // the server refuses before it answers
    if (refusal !== undefined) throw explained(refusal);
  }

  /** Publishes what need not be heard, and makes sure that the server permits it. @throws Error where it does not */
  async mustPublish(subject: string, payload = ''): Promise<void> {
    try {
      await this.connection.request(subject, payload, { timeout: TRY_MS });
    } catch (error) {
      if (refusalIn(error) !== undefined) throw explained(error); // else nobody answers
    }
  }

  /** The largest payload that the server takes (bytes). */
  get maxPayload(): number {
    return this.connection.info?.max_payload ?? 2 ** 20;
  }

  /** Subject on which a host asks for a job of a place. */
  pullSubject(place: JobTarget): string {
    const { apiPrefix = '$JS.API' } = this.manager.getOptions();
    return `${apiPrefix}.CONSUMER.MSG.NEXT.${this.names.jobs}.${this.names.consumer(place)}`;
  }

  /** Subject on which the server tells of the stream of jobs. */
  get streamInfoSubject(): string {
    const { apiPrefix = '$JS.API' } = this.manager.getOptions();
    return `${apiPrefix}.STREAM.INFO.${this.names.jobs}`;
  }

  /** True if the connection is there, as far as the client knows. */
  get isUp(): boolean {
    return this.#isUp;
  }

  get client(): JetStreamClient {
    return this.#client;
  }

  /** @throws as the API: what `isMissingConsumer` knows, and others */
  async consumer(place?: JobTarget): Promise<ConsumerInfo> {
    const { manager, names } = this;
    const info = (): Promise<ConsumerInfo> => manager.consumers.info(names.jobs, names.consumer(place));
    return info().catch(async (error: unknown) => {
      if (place !== undefined || !isMissingConsumer(error)) throw error;
      await makeConsumer(manager, names, { place, leaseMs: this.#leaseMs }); // no host has used it for a week
      return info();
    });
  }

  /** Makes the consumer of the jobs of one host, unless this program has done so. */
  async addPlace(host: string): Promise<void> {
    if (this.#places.has(host)) return;
    await this.patiently(() => this.#makeConsumer(host));
    this.#places.add(host);
  }

  /**
   * Asks all hosts of the application who they are; those that do not answer for `WHO_MS` are not there.
   *
   * @param job the subject of a job: they tell whether they have it
   */
  async who(job = ''): Promise<HostAnswer[]> {
    const answers: HostAnswer[] = [];
    const options = { strategy: 'stall', stall: WHO_MS, maxWait: MOST_WHO_MS } as const;
    try {
      for await (const answer of await this.connection.requestMany(this.names.who, job, options))
        answers.push(...[hostAnswerIn(answer.data) ?? []].flat());
    } catch {
      // Nobody answers.
    }
    return answers;
  }

  /**
   * Checks whether the client of a run is connected: the server knows who listens, and the client need not answer. True where that cannot be
   * found out.
   */
  async hasClient(run: string): Promise<boolean> {
    try {
      await this.connection.request(this.names.client(run), '', { timeout: TRY_MS });
      return true;
    } catch (error) {
      return !(error instanceof this.#packages.transport.RequestError && error.isNoResponders());
    }
  }

  /** Time for which a host may be silent (milliseconds). */
  get leaseMs(): number {
    return this.#leaseMs ?? 0;
  }

  /** Calls back when the connection is there again. @returns ends that */
  onReconnect(listener: () => void): () => void {
    this.#onReconnect.add(listener);
    return () => this.#onReconnect.delete(listener);
  }

  /** Calls back when the connection is lost. */
  onDisconnect(listener: () => void): void {
    this.#onDisconnect.add(listener);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #headers(entries: Readonly<Record<string, string>>): MsgHdrs {
    const made = this.#packages.transport.headers();
    for (const [key, value] of Object.entries(entries)) made.set(key, encodeURIComponent(value));
    return made;
  }

  async #watch(): Promise<void> {
    let wake = (): void => {};
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect' && this.#isUp) {
        this.#isUp = false;
        this.#up = new Promise((resolve) => {
          wake = resolve;
        });
        for (const listener of this.#onDisconnect) listener();
      }
      if (type !== 'reconnect' && type !== 'close') continue;
      this.#isUp = true;
      wake();
      if (type === 'reconnect') void this.#reconnected();
    }
    wake();
  }

  /**
   * To be called where something seems to be missing at a server that answers: somebody may have deleted a stream, or the consumer of the hosts, or made
   * it again since. Then all is as after an outage.
   */
  restore(): Promise<void> {
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #restore(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, RESTORE_MS));
    if (!this.#isUp || this.connection.isClosed()) return;
    const there = await streamsThere(this.manager, this.names).catch(() => this.#made); // it is asked again
    if (there !== this.#made) await this.#reconnected();
  }

  /** The server may have lost what it had. */
  async #reconnected(): Promise<void> {
    this.connections++;
    try {
      await this.#makeAll(this.#leaseMs);
    } catch {
      // The listeners find out what is wrong, or the link is closed.
    }
    for (const listener of this.#onReconnect) listener();
  }

  async #retryTime(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    await this.#up;
  }

  /** Returns true if the same call may succeed later. @param sinceMs how long it has been tried */
  #isOutage(error: unknown, sinceMs: number, refusedMs = PATIENT.refusedMs): boolean {
    if (this.connection.isClosed() || isFull(error) || refusalIn(error) !== undefined) return false;
    const { TimeoutError, RequestError, ConnectionError } = this.#packages.transport;
    if ([TimeoutError, RequestError, ConnectionError].some((Class) => error instanceof Class)) return true;
    const isUnready = isNotEnabled(error) || hasFewPeers(error);
    return (isUnready || statusOf(error) === NO_RESPONDERS) && sinceMs < refusedMs;
  }

  async #makeAll(leaseMs?: number, patience = PATIENT): Promise<void> {
    this.#made = await this.patiently(() => makeStreams(this.manager, this.names, this.#streams), patience);
    const place = undefined;
    await this.patiently(() => makeConsumer(this.manager, this.names, { place, leaseMs }), patience);
    this.#leaseMs ??= ((await this.patiently(() => this.consumer())).config.ack_wait ?? 0) / 1e6;
    for (const host of this.#places) await this.patiently(() => this.#makeConsumer(host), patience);
  }

  #makeConsumer(place: string): Promise<void> {
    return makeConsumer(this.manager, this.names, { place, leaseMs: this.#leaseMs });
  }
}

const statusOf = (error: unknown): number | undefined => (error as { status?: number }).status;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
