/** Runs a test file or a program in this page or worker, and posts its events. */
import type { HostEvent, Order, Tell } from './events.js';
import { runFile, textOf } from './run-file.js';

export interface Numbered {
  readonly run: number;
  readonly order: Order;
  /** URLs of packages, by name. */
  readonly packages: Readonly<Record<string, string>>;
}

export async function runInBrowser({ run, order, packages }: Numbered): Promise<void> {
  // For test/fixtures/this-thread.mjs, and for test/helpers/environment.ts.
  Object.assign(globalThis, { furcateTestsRunHere: true, furcateTestVariables: order.variables });
  let number = 0;
  let posted: Promise<unknown> = Promise.resolve();
  // Each event is sent at once, also before a test that blocks this thread. They may overtake each other, so they are numbered.
  const tell: Tell = (event: HostEvent): void => {
    const post = fetch('/event', { method: 'POST', body: JSON.stringify({ run, number: number++, event }) });
    posted = Promise.all([posted, post]);
  };
  addEventListener('error', ({ error, message }) => tell({ type: 'stray', error: textOf(error ?? message) }));
  addEventListener('unhandledrejection', ({ reason }) => tell({ type: 'stray', error: textOf(reason) }));
  const project = new URL('/', location.href);
  if (order.file.endsWith('.mjs')) await runProgram(new URL(order.file, project).href, tell);
  else await runTests(order, project, packages, tell);
  await posted;
}

/** The page is the program's own: what it prints here counts, and it is done when its module has been evaluated. */
async function runProgram(url: string, tell: Tell): Promise<void> {
  const print = console.log;
  console.log = (...values: unknown[]) => {
    print(...values);
    tell({ type: 'output', text: `${values.map(String).join(' ')}\n` });
  };
  try {
    await import(url);
    tell({ type: 'done' });
  } catch (error) {
    tell({ type: 'stray', error: textOf(error) });
    tell({ type: 'done' });
  }
}

function runTests(order: Order, project: URL, packages: Numbered['packages'], tell: Tell): Promise<void> {
  const urlOf = (specifier: string): string => packages[specifier] ?? specifier;
  return runFile(order, { project, metaOf: (id) => new URL(id, project).href, urlOf }, tell);
}
