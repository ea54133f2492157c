/**
 * Browsers: one page loads file after file, each in a fresh page or in a fresh worker of the page. A page that hangs or crashes takes its
 * browser with it; the next file gets a new one.
 */
import { type Browser, commandOf, type Opened, open } from './browsers.js';
import type { Host, Running } from './host-run.js';
import type { HostEvent, Order } from './in-host/events.js';
import { PageServer } from './page-server.js';
import type { Project } from './project.js';

/** Where in a browser tests run. A page must not block; a worker may. */
export const REALMS = ['page', 'worker'] as const;
export type Realm = (typeof REALMS)[number];

const pageOf = (realm: Realm): string =>
  `<!doctype html><meta charset="utf-8"><title>Furcate</title><script type="module" src="/harness/${realm}-main.js"></script>`;

/** An order as the page gets it. */
interface Numbered {
  readonly run: number;
  readonly order: Order;
}

/** A promise that somebody else resolves. */
class Deferred<T> {
  resolve: (value: T) => void = () => {};
  readonly promise = new Promise<T>((resolve) => {
    this.resolve = resolve;
  });
}

export class BrowserHost implements Host {
  readonly name: string;
  readonly runsOneFile = true;
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #server: PageServer;
  #opened: Opened | undefined;
  #run = 0;
  #listen: (event: HostEvent) => void = () => {};
  /** Events that have arrived before an earlier one, by number. */
  readonly #early = new Map<number, HostEvent>();
  #nextEvent = 0;
  /** The page waits for this, or has not asked yet. */
  #order = new Deferred<Numbered>();

  constructor(browser: Browser, realm: Realm, project: Project) {
    commandOf(browser);
    this.name = `${browser}-${realm}`;
    this.#browser = browser;
    this.#folder = project.folder;
    this.#server = new PageServer({
      folder: project.folder,
      packages: project.packages,
      answers: {
        '/': () => pageOf(realm),
        '/next': async () => JSON.stringify({ ...(await this.#order.promise), packages: project.packages }),
        '/event': (body) => this.#hear(JSON.parse(body)),
      },
    });
  }

  #hear({ run, number, event }: { run: number; number: number; event: HostEvent }): string {
    if (run !== this.#run) return '{}'; // of a page that was given up
    this.#early.set(number, event);
    for (let next = this.#early.get(this.#nextEvent); next !== undefined; next = this.#early.get(this.#nextEvent)) {
      this.#early.delete(this.#nextEvent++);
      this.#listen(next);
    }
    return '{}';
  }

  start(order: Order, listen: (event: HostEvent) => void): Running {
    let isDone = false;
    const ended = new Deferred<string>();
    this.#run++;
    this.#nextEvent = 0;
    this.#early.clear();
    this.#listen = (event) => {
      listen(event);
      if (event.type !== 'done') return;
      isDone = true;
      // The page asks for the next order only after it has begun anew.
      this.#order = new Deferred();
      ended.resolve('');
    };
    void this.#open().then((opened) => {
      this.#order.resolve({ run: this.#run, order });
      return opened.ended.then(ended.resolve);
    });
    return { ended: ended.promise, kill: async () => (isDone ? undefined : this.#close()) };
  }

  async #open(): Promise<Opened> {
    this.#opened ??= open(this.#browser, await this.#server.origin, this.#folder);
    return this.#opened;
  }

  async #close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#order = new Deferred();
    await opened?.close();
  }

  async close(): Promise<void> {
    await this.#close();
    this.#server.close();
  }
}
