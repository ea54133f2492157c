/**
 * The results of a run as the stream has them: first those that are there, then each as it comes. A client that was stalled, or cut off, or
 * that is not the one that has begun the run, misses none.
 */
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { MsgHdrs, Subscription } from '@nats-io/transport-node';
import { guard } from '../link/arrived.js';
import type { Link } from '../link/link.js';
import { nameIn } from '../link/names.js';
import { within } from '../within.js';

/** A result as the feed, or a request, gives it. */
export interface ResultMessage {
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs | undefined;
}

/** Takes the result of a key. It must not throw. */
type ResultListener = (key: string, message: ResultMessage) => void;

/** Waits until a message is read: its number. */
interface SequenceWaiter {
  readonly seq: number;
  readonly resolve: () => void;
}

/** Time that reading a result that is in the stream may take, before it is asked for again (milliseconds). */
const ASK_AGAIN_MS = 500;

/** Words of the NATS client for a consumer that is there no more. */
const LOST: ReadonlySet<string> = new Set(['consumer_deleted', 'consumer_not_found', 'stream_not_found']);

/** A consumer at the server, and its messages. */
interface Reading {
  readonly consumer: Consumer;
  readonly messages: ConsumerMessages;
}

export class ResultFeed {
  readonly #link: Link;
  readonly #run: string;
  readonly #listeners = new Map<string, ResultListener>();
  readonly #waiting = new Set<SequenceWaiter>();
  readonly #stray: (call: string) => void;
  #reading: Reading | undefined;
  /** Hears of results that the server has no room for. */
  #told: Subscription | undefined;
  /** The last message that was read: its number in the stream, which means something in this stream only. */
  #read = 0;
  /**
   * Creation time of the stream that is read. A server that has lost its store makes another one, and counts from 1 again.
   */
  #stream = '';
  /** Counts starts, so that one that was overtaken gives up. */
  #starts = 0;
  #isStopped = false;

  /** @param stray hears of results of calls that nobody listens to */
  constructor(link: Link, run: string, stray: (call: string) => void) {
    this.#link = link;
    this.#run = run;
    this.#stray = stray;
  }

  /** Hears of the results of a call. @returns ends that */
  listen(call: string, listener: ResultListener): () => void {
    this.#listeners.set(call, listener);
    return () => this.#listeners.delete(call);
  }

  /** Reads on from what was read, after a start or a broken connection. */
  async start(): Promise<void> {
    if (this.#isStopped) return; // its call has ended before it began
    const start = ++this.#starts;
    this.#told ??= this.#link.hear(this.#link.names.told({ run: this.#run, call: '*', key: '*' }), (message) => {
      const { call, key } = nameIn(message.subject);
      this.#listeners.get(call)?.(key, message);
    });
    const { names, manager, client } = this.#link;
    void endReading(this.#reading);
    this.#reading = undefined;
    const reading = await this.#link.patiently(async () => {
      const { state, created } = await manager.streams.info(names.results);
      if (created !== this.#stream || state.last_seq < this.#read) this.#read = 0; // it is another one, or an older copy of it
      this.#stream = created;
      const from =
        this.#read === 0
          ? { deliver_policy: 'all' as const }
          : { deliver_policy: 'by_start_sequence' as const, opt_start_seq: this.#read + 1 };
      const consumer = await client.consumers.get(names.results, { filter_subjects: [this.#filter], ...from });
      return {
        consumer,
        messages: await consumer.consume({ callback: guard((message: JsMsg) => this.#take(start, message)) }),
      };
    });
    if (start !== this.#starts) return endReading(reading);
    this.#reading = reading;
    void this.#watch(reading);
  }

  /** Somebody may delete what it reads, although the server is there. */
  async #watch({ messages }: Reading): Promise<void> {
    for await (const { type } of messages.status()) if (LOST.has(type)) void this.#link.restore();
  }

  /** As `start`, for one that reads already: before that, the run may have to be cleaned. */
  async startAgain(): Promise<void> {
    if (this.#starts > 0) await this.start();
  }

  /** Resolves when all results have been read that are in the stream now. */
  async upToDate(): Promise<void> {
    const { names, manager } = this.#link;
    const query = { last_by_subj: this.#filter };
    while (!this.#isStopped) {
      const last = await this.#link.patiently(() => manager.streams.getMessage(names.results, query));
      const seq = last?.seq ?? 0;
      if (seq <= this.#read || this.#isStopped) return;
      let waiter: SequenceWaiter | undefined;
      const hasRead = new Promise<void>((resolve) => {
        waiter = { seq, resolve };
        this.#waiting.add(waiter);
      });
      await within(ASK_AGAIN_MS, hasRead); // a host may take it back before it is read
      this.#waiting.delete(waiter as SequenceWaiter);
    }
  }

  /** Reads no more. Resolves when the server has forgotten it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#starts++;
    this.#told?.unsubscribe();
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
    await endReading(this.#reading);
  }

  get #filter(): string {
    return this.#link.names.result({ run: this.#run, call: '*', key: '*' });
  }

  #take(start: number, message: JsMsg): void {
    if (start !== this.#starts || message.seq <= this.#read) return;
    const { call, key } = nameIn(message.subject);
    const listener = this.#listeners.get(call);
    if (listener === undefined) this.#stray(call);
    else listener(key, message);
    this.#read = message.seq;
    for (const waiter of this.#waiting) {
      if (waiter.seq > this.#read) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}

/** The server would keep a consumer that nobody reads for five minutes. */
async function endReading(reading: Reading | undefined): Promise<void> {
  void reading?.messages.close();
  await reading?.consumer.delete().catch(() => {}); // the connection is closed, or the server has lost it
}
