/** A relay between a client or a host and the server: a test sees what crosses, and holds it for as long as it likes. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { STEP_HANG_MS } from '../helpers/limits.js';

/** Characters of the longest text that tests look for. */
const LONGEST_MATCH = 200;

/** What crosses in one direction. */
class Direction {
  /** All that has come, piece by piece: values of megabytes come in many. */
  readonly #pieces: string[] = [];
  #hold: RegExp | undefined;
  #isHolding = false;
  readonly #held: (() => void)[] = [];
  readonly #lookers = new Set<() => void>();

  /** Passes bytes on, now or when they are let go. */
  pass(bytes: Buffer, to: Socket): void {
    const text = bytes.toString('latin1');
    this.#pieces.push(text);
    if (this.#hold?.test(text) === true) this.#isHolding = true;
    if (this.#isHolding) this.#held.push(() => to.write(bytes));
    else to.write(bytes);
    for (const look of this.#lookers) look();
  }

  /** Holds all from the first match on, that one included. */
  holdFrom(pattern: RegExp): void {
    this.#hold = pattern;
  }

  /** Holds all from now on. */
  hold(): void {
    this.#isHolding = true;
  }

  letGo(): void {
    this.#hold = undefined;
    this.#isHolding = false;
    for (const write of this.#held.splice(0)) write();
  }

  /** Resolves when as many matches have crossed or are held. @param pattern with the flag `g` */
  async has(pattern: RegExp, count = 1): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the relay sees no ${count} of ${pattern}`)), STEP_HANG_MS);
      let [seen, found, rest] = [0, 0, ''];
      const look = (): void => {
        for (; seen < this.#pieces.length; seen++) {
          const text = rest + this.#pieces[seen];
          const matches = [...text.matchAll(pattern)];
          found += matches.length;
          const last = matches.at(-1);
          rest = text.slice(last === undefined ? 0 : last.index + last[0].length).slice(-LONGEST_MATCH); // the next match may begin in it
        }
        if (found < count) return;
        clearTimeout(timer);
        this.#lookers.delete(look);
        resolve();
      };
      this.#lookers.add(look);
      look();
    });
  }
}

export class Relay {
  readonly toServer = new Direction();
  readonly fromServer = new Direction();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param nats where the server is: a host and a port */
  static async to(nats: string): Promise<Relay> {
    const [host, port] = nats.split(':');
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (near) => {
      const far = connect(Number(port), host);
      near.on('data', (bytes) => relay.toServer.pass(bytes, far));
      far.on('data', (bytes) => relay.fromServer.pass(bytes, near));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        relay.#sockets.add(one);
        one.on('error', () => {}).on('close', () => other.destroy());
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get nats(): string {
    return `127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
