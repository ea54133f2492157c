/**
 * Pulls jobs of a place for a host, one at a time and only while the host wants one. So jobs wait in the stream, where an idle host finds them, and the
 * pulls that wait tell how many hosts are idle.
 *
 * A pull is withdrawn by ending the subscription that hears its answer: the server drops a pull that nobody hears. A job that was on its way
 * is taken.
 */
import type { Msg, Subscription } from '@nats-io/transport-node';
import { type Link, NO_RESPONDERS } from '../link/link.js';
import type { JobTarget } from '../link/names.js';

/** Time for which a pull waits at the server (milliseconds). Then the next one shows that the host lives. */
const EXPIRES_MS = 30_000;
/** Time after the server at which the host gives up a pull (milliseconds). */
const SLACK_MS = 2000;
/** Time before the next pull when nobody answers (milliseconds): the server starts, or has lost the stream. */
const RETRY_MS = 250;
/** The status by which a pull ends because the server cannot serve it any more, as `NO_RESPONDERS`; by others, only its time is over. */
const CONFLICT = 409;

export class Puller {
  readonly #link: Link;
  readonly #place: JobTarget;
  readonly #take: (message: Msg) => void;
  readonly #ended = new Set<Promise<void>>();
  readonly #stopListening: () => void;
  #inbox = '';
  #subscription: Subscription;
  #pulls = 0;
  #isPulling = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param take takes a job of the place */
  constructor(link: Link, place: JobTarget, take: (message: Msg) => void) {
    this.#link = link;
    this.#place = place;
    this.#take = take;
    this.#subscription = this.#subscribe();
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

  /** Takes back the pull that waits, if one does. */
  withdraw(): void {
    if (!this.#isPulling || this.#isStopped) return;
    this.#done();
    const ended = this.#subscription.drain().catch(() => {}); // the connection is closed
    this.#ended.add(ended);
    void ended.then(() => this.#ended.delete(ended));
    this.#subscription = this.#subscribe();
  }

  /** Pulls no more. Jobs that are on their way are taken. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    await Promise.all([this.#subscription.drain().catch(() => {}), ...this.#ended]); // the server is away
  }

  #subscribe(): Subscription {
    const inbox = `${this.#link.inboxPrefix}.${crypto.randomUUID()}`;
    this.#inbox = inbox;
    return this.#link.hear(`${inbox}.*`, (message) => this.#answer(message, inbox));
  }

  #send(): void {
    if (this.#isStopped || this.#link.connection.isClosed()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), EXPIRES_MS + SLACK_MS);
    this.#timer.unref();
    const order = JSON.stringify({ batch: 1, expires: EXPIRES_MS * 1e6 });
    this.#link.connection.publish(this.#link.pullSubject(this.#place), order, {
      reply: `${this.#inbox}.${++this.#pulls}`,
    });
  }

  /** A job has the subject of the stream. A status has that of its pull, which may be an earlier one. */
  #answer(message: Msg, inbox: string): void {
    const status = message.headers?.code ?? 0;
    if (status === 0) {
      if (inbox === this.#inbox) this.#done();
      this.#take(message);
      return;
    }
    if (this.#isStopped || message.subject !== `${this.#inbox}.${this.#pulls}`) return;
    clearTimeout(this.#timer);
    if (status === NO_RESPONDERS) void this.#link.restore();
    if (status === NO_RESPONDERS || status === CONFLICT) this.#timer = setTimeout(() => this.#send(), RETRY_MS);
    else this.#send();
  }

  #done(): void {
    clearTimeout(this.#timer);
    this.#isPulling = false;
  }
}
