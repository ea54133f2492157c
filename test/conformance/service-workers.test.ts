/** What the library does in a service worker, which has no threads and may not import code later. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Pages have it, and workers of Firefox. */
const container = (globalThis as { navigator?: { serviceWorker?: ServiceWorkerContainer } }).navigator?.serviceWorker;

interface Answer {
  readonly value?: unknown;
  readonly message?: string;
}

/** A service worker of a fixture. */
class Service {
  #registration: ServiceWorkerRegistration | undefined;
  readonly #container: ServiceWorkerContainer;
  readonly #file: string;

  constructor(container: ServiceWorkerContainer, file: string) {
    this.#container = container;
    this.#file = file;
  }

  async start(): Promise<void> {
    const { href } = new URL(`../fixtures/${this.#file}`, import.meta.url);
    this.#registration = await this.#container.register(href, { type: 'module', scope: `${href}/` });
    const worker = this.#registration.installing ?? this.#registration.waiting ?? this.#registration.active;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (worker?.state === 'activated') resolve();
        if (worker?.state === 'redundant') reject(new Error(`${this.#file} could not be installed`));
      };
      worker?.addEventListener('statechange', look);
      look();
    });
  }

  ask(ask: string): Promise<Answer> {
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => {
        port1.close();
        resolve(data);
      };
      this.#registration?.active?.postMessage({ ask, port: port2 }, [port2]);
    });
  }

  stop(): Promise<boolean> | undefined {
    return this.#registration?.unregister();
  }
}

const ANYWHERE: [ask: string, value: unknown][] = [
  ['tasks', [25, 36]],
  ['awaited', 'text'],
  ['typed', [6, [1, 2, 3], [2, 3]]],
  ['pipelines', [1, 4, 9]],
];

const PLAIN: [ask: string, value: unknown][] = [
  ['plain', [[1, 2], [2, 4], 3, ['a', 'b']]],
  ['sequential', [-1, -2]],
];

function onPages(container: ServiceWorkerContainer): void {
  describe('a service worker', () => {
    const service = new Service(container, 'service-worker.mjs');
    beforeAll(() => service.start());
    afterAll(() => service.stop());

    test.each(ANYWHERE)('runs %s on its own thread', async (ask, value) => {
      expect(await service.ask(ask)).toEqual({ value });
    });

    test.each(PLAIN)('says what to import for calls with plain values: %s', async (ask) => {
      const { message } = await service.ask(ask);
      expect(message).toMatch(/a service worker may not .*'values'.* Import 'furcate\/worker\/complete'/);
    });
  });

  describe('a service worker with all parts, wherever it imports them', () => {
    const service = new Service(container, 'complete-service-worker.mjs');
    beforeAll(() => service.start());
    afterAll(() => service.stop());

    test.each([...ANYWHERE, ...PLAIN])('runs %s', async (ask, value) => {
      expect(await service.ask(ask)).toEqual({ value });
    });

    test('is told that it has no threads, whatever its headers', async () => {
      expect(await service.ask('warned')).toEqual({
        value: [expect.stringMatching(/^furcate: a service worker has no threads .*one after the other/)],
      });
    });
  });
}

if (container !== undefined) onPages(container);
else test('other hosts have no document', () => expect('document' in globalThis).toBe(false));
