/**
 * Pulls jobs for a host, one at a time and only when the host wants one. So jobs wait in the stream, where an idle host finds them, and the
 * pulls that wait tell how many hosts are idle.
 */
import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Link } from '../link/link.js';

/** How long a pull waits at the server (milliseconds). Then the next one shows that the host lives. */
const EXPIRES_MS = 30_000;
/** How much later than the server the host gives up a pull (milliseconds). */
const SLACK_MS = 2000;
/** Time before the next pull when nobody answers (milliseconds): the server starts, or has lost the stream. */
const RETRY_MS = 250;
/** Statuses of NATS by which a pull ends because the server cannot serve it now; by others, only its time is over. */
const NO_RESPONDERS = 503;
const CONFLICT = 409;

export class Puller {
  readonly #link: Link;
  readonly #inbox: string;
  readonly #take: (message: Msg) => void;
  readonly #subscription: Subscription;
  readonly #stopListening: () => void;
  #pulls = 0;
  #isPulling = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param take takes a job */
  constructor(link: Link, take: (message: Msg) => void) {
    this.#link = link;
    this.#take = take;
    this.#inbox = `${link.inboxPrefix}.${crypto.randomUUID()}`;
    this.#subscription = link.connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#answer(message);
      },
    });
    this.#stopListening = link.onReconnect(() => {
      if (this.#isPulling) this.#send(); // the server has forgotten the pull
    });
  }

  /** Asks for a job, unless a pull waits already. */
  pull(): void {
    if (this.#isPulling || this.#isStopped) return;
    this.#isPulling = true;
    this.#send();
  }

  /** Pulls no more. Jobs that are on their way are taken. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    await this.#subscription.drain();
  }

  #send(): void {
    if (this.#isStopped || this.#link.connection.isClosed()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), EXPIRES_MS + SLACK_MS);
    this.#timer.unref();
    const order = JSON.stringify({ batch: 1, expires: EXPIRES_MS * 1e6 });
    this.#link.connection.publish(this.#link.pullSubject, order, { reply: `${this.#inbox}.${++this.#pulls}` });
  }

  /** A job has the subject of the stream. A status has that of its pull, which may be an earlier one. */
  #answer(message: Msg): void {
    const status = message.headers?.code ?? 0;
    if (status === 0) {
      this.#done();
      this.#take(message);
      return;
    }
    if (this.#isStopped || !message.subject.endsWith(`.${this.#pulls}`)) return;
    clearTimeout(this.#timer);
    if (status === NO_RESPONDERS || status === CONFLICT) this.#timer = setTimeout(() => this.#send(), RETRY_MS);
    else this.#send();
  }

  #done(): void {
    clearTimeout(this.#timer);
    this.#isPulling = false;
  }
}
