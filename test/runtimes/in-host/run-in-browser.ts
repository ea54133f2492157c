/** Runs a test file in this page or worker, and posts its events. */
import type { HostEvent, Order } from './events.js';
import { runFile, textOf } from './run-file.js';

export interface Numbered {
  readonly run: number;
  readonly order: Order;
  /** URLs of packages, by name. */
  readonly packages: Readonly<Record<string, string>>;
}

export async function runInBrowser({ run, order, packages }: Numbered): Promise<void> {
  let number = 0;
  let posted: Promise<unknown> = Promise.resolve();
  // Each event is sent at once, also before a test that blocks this thread. They may overtake each other, so they are numbered.
  const tell = (event: HostEvent): void => {
    const post = fetch('/event', { method: 'POST', body: JSON.stringify({ run, number: number++, event }) });
    posted = Promise.all([posted, post]);
  };
  addEventListener('error', ({ error, message }) => tell({ type: 'stray', error: textOf(error ?? message) }));
  addEventListener('unhandledrejection', ({ reason }) => tell({ type: 'stray', error: textOf(reason) }));
  const project = new URL('/', location.href);
  const urlOf = (specifier: string): string => packages[specifier] ?? specifier;
  await runFile(order, { project, metaOf: (id) => new URL(id, project).href, urlOf }, tell);
  await posted;
}
