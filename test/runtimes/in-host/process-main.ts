/**
 * Runs a test file in a process of Node, Bun or Deno: `process-main.js <order> <file of events>`, where the order is JSON.
 * Events are appended to a file synchronously: a process that is killed or hangs has told all that it knew.
 */
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import type { HostEvent, Order } from './events.js';
import { runFile, textOf } from './run-file.js';

const [, , json, eventsFile] = process.argv;
const order = JSON.parse(json as string) as Order;
const tell = (event: HostEvent): void => appendFileSync(eventsFile as string, `${JSON.stringify(event)}\n`);

const stray = (error: unknown): void => tell({ type: 'stray', error: textOf(error) });
process.on('unhandledRejection', stray);
process.on('uncaughtException', stray);

// Tests wait for what keeps no event loop alive, as idle workers; a time limit of the runner does not either.
setInterval(() => {}, 2 ** 30);

const project = new URL('..', import.meta.url);
// Tests of the source find its files in the checkout; tests of the package find fixtures, which import the package, beside it.
const base = /^test\/(unit|property)\//.test(order.file) ? new URL(order.checkout) : project;
await runFile(order, { project, metaOf: (id) => new URL(id, base).href, urlOf: (specifier) => specifier }, tell);
process.exit(0);
