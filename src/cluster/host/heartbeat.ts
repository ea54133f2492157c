/** Keeps the leases of a host's jobs, through a thread of its own (heartbeat-thread.ts); runs on the host's main thread. */
import { Worker } from 'node:worker_threads';
import type { Subscription } from '@nats-io/transport-node';
import type { Link } from '../link/link.js';
import type { HeartbeatData, HeartbeatNews, HeartbeatOrder, HeldJob } from './heartbeat-thread.js';
import type { JobMessage } from './job-message.js';
import { startPulse } from './pulse.js';

/** Number of times that a host tells that it lives, in each lease. */
const BEATS = 3;
/** Echoes in a row that the main thread may miss while its connection seems to be up: two leases. */
const MOST_MISSED = 2 * BEATS;
/** The longest delay of a timer (milliseconds). */
const MOST_MS = 2 ** 31 - 1;
/**
 * Time for which a task runs at most before the thread is told of it (milliseconds): telling costs both threads 20 us.
 */
const MOST_DELAY_MS = 100;

interface HeartbeatListeners {
  /** Hears what the thread tells later. */
  onNews(news: Exclude<HeartbeatNews, 'ready' | 'echo'>): void;
  /** The host does not work any more. */
  onDeaf(error: Error): void;
}

export class Heartbeat {
  readonly #thread: Worker;
  readonly #echoes: Subscription;
  readonly #stopPulse: () => void;

  /** Jobs that the thread has not been told of. */
  readonly #untold = new Map<string, HeldJob>();
  readonly #delayMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(thread: Worker, echoes: Subscription, stopPulse: () => void, everyMs: number) {
    this.#thread = thread;
    this.#echoes = echoes;
    this.#stopPulse = stopPulse;
    this.#delayMs = Math.min(MOST_DELAY_MS, everyMs / 4);
  }

  /**
   * Starts the thread, and waits until it is connected: the lease of a job that came before could be over by then.
   *
   * A beat says that the host works. So the thread publishes an echo with each, which the main thread must hear by its own connection. It need not
   * hear it while a job blocks it. But a main thread that turns, and hears nothing of a connection that is up, has lost its reader.
   *
   * @throws what ends the thread
   */
  static async start(
    link: Link,
    data: Omit<HeartbeatData, 'everyMs' | 'echo' | 'streamInfo' | 'who' | 'leaseMs' | 'pulse'>,
    { onNews, onDeaf }: HeartbeatListeners,
  ): Promise<Heartbeat> {
    const { leaseMs, names } = link;
    const everyMs = Math.min(leaseMs / BEATS, MOST_MS);
    const echo = `${link.inboxPrefix}.${crypto.randomUUID()}`;
    let hasHeard = false;
    let missed = Number.NEGATIVE_INFINITY; // until the first is heard: the server may not permit them
    let lastMs = 0;
    const echoes = link.hear(echo, () => {
      hasHeard = true;
      missed = 0;
    });
    link.connection.publish(echo); // so the first one is heard before the first job
    const looksDeaf = (): boolean => {
      const nowMs = performance.now();
      const isBurst = nowMs - lastMs < everyMs / 2; // the main thread was blocked, and catches up
      lastMs = nowMs;
      if (isBurst) return false;
      missed = hasHeard || !link.isUp ? 0 : missed + 1;
      hasHeard = false;
      return missed > MOST_MISSED;
    };
    const pulse = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData: HeartbeatData = {
      ...data,
      pulse,
      everyMs,
      leaseMs,
      echo,
      who: names.who,
      streamInfo: link.streamInfoSubject,
    };
    const url = new URL('./clusterHeartbeat.js', import.meta.url);
    const execArgv: string[] = []; // Node refuses --input-type for a file
    const thread = new Worker(url, { workerData, name: 'furcate heartbeat', execArgv });
    await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
    await link.connection.flush().catch(() => {}); // the server is away
    thread.on('message', (news: Exclude<HeartbeatNews, 'ready'>) => {
      if (news !== 'echo') onNews(news);
      else if (looksDeaf())
        onDeaf(new Error('furcate: the host hears nothing of the server although its connection is up.'));
    });
    thread.on('error', onDeaf);
    return new Heartbeat(thread, echoes, startPulse(pulse), everyMs);
  }

  /**
   * Has the thread keep the lease of a job. It is told of a task a moment later, since most have ended by then; of a host function at once, since that may block
   * the main thread.
   *
   * @param limitMs how long the job may run
   */
  hold(job: JobMessage, limitMs: number): void {
    const { reply, subject } = job;
    this.#untold.set(reply, { reply, subject, what: job.what, limitMs });
    if (!job.isInPool) this.#tellAll();
    else this.#timer ??= setTimeout(() => this.#tellAll(), this.#delayMs);
  }

  release({ reply }: JobMessage): void {
    if (!this.#untold.delete(reply)) this.#thread.postMessage(reply satisfies HeartbeatOrder);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#echoes.unsubscribe();
    await this.#thread.terminate();
    this.#stopPulse();
  }

  #tellAll(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const job of this.#untold.values()) this.#thread.postMessage(job satisfies HeartbeatOrder);
    this.#untold.clear();
  }
}
