/** Receives what pages of another origin post. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export class ReportServer<T> {
  readonly #server: Server;
  readonly #posted: T[] = [];
  #waiting: ((report: T) => void) | undefined;
  readonly address: Promise<string>;

  constructor() {
    this.#server = createServer((request: IncomingMessage, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*');
      void json(request).then((report) => {
        response.end();
        if (this.#waiting === undefined) this.#posted.push(report as T);
        else this.#waiting(report as T);
        this.#waiting = undefined;
      });
    });
    this.address = new Promise((resolve) => {
      this.#server.listen(0, 'localhost', () => {
        resolve(`http://localhost:${(this.#server.address() as AddressInfo).port}/`);
      });
    });
  }

  /** The next report, one at a time. */
  next(): Promise<T> {
    const posted = this.#posted.shift();
    if (posted !== undefined) return Promise.resolve(posted);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
