/**
 * A thread of `furcate-worker` that serves probes and metrics. It computes nothing, so it answers while a job blocks the host's main thread, and says so. What
 * it does not know itself, such as metrics, it asks the main thread for.
 */
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { PULSE_MS, Standstill } from '../host/pulse.js';
import { type Health, healthIn, W_PULSE } from './health.js';
import type { Address } from './settings.js';

/** A port, and what is served there: the paths of probes, and those that the main thread answers. */
export interface Port {
  readonly option: string;
  readonly address: Address;
  readonly hasProbes: boolean;
  readonly asked: readonly string[];
}

/** Data with which the thread is started. */
export interface PortsData {
  readonly ports: readonly Port[];
  readonly host: string;
  /** Words in which the main thread tells of the host, for `healthIn`. */
  readonly words: Int32Array;
  readonly blockTimeoutMs: number;
}

/** Answer of a path. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Messages of the thread: that all ports are open, or why one is not; and what it asks. */
export type PortsNews = 'open' | { readonly failed: string } | { readonly id: number; readonly path: string };

/** Answer of the main thread. */
export interface PortsReply {
  readonly id: number;
  readonly answer: Answer;
}

/** Time that the main thread may take to answer (milliseconds): Prometheus gives up after 10 s. */
const ANSWER_MS = 8000;

const { ports, host, words, blockTimeoutMs } = workerData as PortsData;
const standstill = new Standstill(words, PULSE_MS, W_PULSE);
setInterval(() => standstill.look(), PULSE_MS);
const asked = new Map<number, (answer: Answer) => void>();
let count = 0;

const tell = (news: PortsNews): void => parentPort?.postMessage(news);
parentPort?.on('message', ({ id, answer }: PortsReply) => asked.get(id)?.(answer));

const json = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json',
  text: `${JSON.stringify(value)}\n`,
});

const health = (): Health => healthIn(words, { host, blockedMs: standstill.blockedMs });

const PROBES: Readonly<Record<string, () => Answer>> = {
  '/healthz': () => json(standstill.ms > blockTimeoutMs ? 503 : 200, health()),
  '/readyz': () => {
    const found = health();
    return json(found.state === 'ready' ? 200 : 503, found);
  },
};

/** Has the main thread answer. */
async function ask(path: string): Promise<Answer> {
  const id = ++count;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const answer = await new Promise<Answer>((resolve) => {
    asked.set(id, resolve);
    timer = setTimeout(() => resolve(json(503, { error: 'The main thread does not answer.', ...health() })), ANSWER_MS);
    tell({ id, path });
  });
  clearTimeout(timer);
  asked.delete(id);
  return answer;
}

async function answerOf(port: Port, path: string, isRead: boolean): Promise<Answer> {
  const paths = [...(port.hasProbes ? Object.keys(PROBES) : []), ...port.asked];
  if (!isRead || !paths.includes(path)) return json(isRead ? 404 : 405, { paths });
  return port.asked.includes(path) ? ask(path) : (PROBES[path] as () => Answer)();
}

/** Rejects where the port cannot be opened, and tells why. */
async function open(port: Port): Promise<void> {
  const server = createServer(async ({ url = '', method }, response) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const { status, type, text } = await answerOf(port, url.split('?')[0] as string, isRead);
    response.writeHead(status, { 'content-type': type }).end(method === 'HEAD' ? '' : text);
  });
  const { port: number, host: hostname } = port.address;
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      tell({ failed: `${port.option}: port ${number} cannot be opened: ${code ?? message}.` });
      reject();
    });
    server.listen({ port: number, ...(hostname === undefined ? {} : { host: hostname }) }, resolve);
  });
}

await Promise.all(ports.map(open)).then(
  () => tell('open'),
  () => {}, // the main thread has been told
);
