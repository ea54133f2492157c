/** A job as it has arrived at a host: a message of the stream, and what the host answers to the server. */
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { headerOf } from '../link/arrived.js';
import type { PayloadKind } from '../link/job-kind.js';
import { HEADER, nameIn } from '../link/names.js';

/** Place of the count of deliveries in the subject `$JS.ACK.<stream>.<consumer>.<count>...`; newer servers put two tokens before the stream. */
const COUNT_AT = 4;
const TOKENS = 9;
const HOST_FUNCTION: PayloadKind = 'host function';

export class JobMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  /** Subject on which the server takes answers. */
  readonly reply: string;
  /** Number of times it has been delivered, this time included. */
  readonly deliveries: number;
  readonly #connection: NatsConnection;
  readonly #message: Msg;
  /** Headers that were read: the NATS client looks for each among all, and a job's are read several times. */
  readonly #headers = new Map<string, string>();
  #isAnswered = false;

  constructor(connection: NatsConnection, message: Msg) {
    this.#connection = connection;
    this.#message = message;
    this.subject = message.subject;
    this.bytes = message.data;
    this.reply = message.reply ?? '';
    const tokens = this.reply.split('.');
    this.deliveries = Number(tokens[tokens.length > TOKENS ? COUNT_AT + 2 : COUNT_AT]) || 1;
  }

  /** True if it is of a stream, and no message that somebody has sent to the inbox of a host. */
  get isOfStream(): boolean {
    return this.reply.startsWith('$JS.ACK.') && nameIn(this.subject).key !== '';
  }

  header(name: string): string {
    const known = this.#headers.get(name);
    if (known !== undefined) return known;
    const text = headerOf(this.#message, name);
    this.#headers.set(name, text);
    return text;
  }

  /** Name of what it runs, for messages. */
  get what(): string {
    return this.header(HEADER.what);
  }

  /** True if it runs on threads of the pool, and not on the main thread. */
  get isInPool(): boolean {
    return this.header(HEADER.kind) !== HOST_FUNCTION;
  }

  /** It is done: its result is published. */
  acknowledge(): void {
    this.#answer('+ACK');
  }

  /** Nobody needs it any more. */
  drop(): void {
    this.#answer('+TERM');
  }

  /** Another host may take it. */
  giveBack(): void {
    this.#answer('-NAK');
  }

  /** The first answer counts: what was given back must not be acknowledged later. */
  #answer(text: string): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#connection.publish(this.reply, text);
  }
}
