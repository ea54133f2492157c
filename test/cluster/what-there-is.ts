/** All that can be told of a cluster whose call hangs: what the client waits for, what the server has, and what hosts say and have said. */
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectToNats, type NatsConnection } from '@nats-io/transport-node';
import type { Cluster } from 'furcate/cluster';
import type { Processes } from './processes.js';

/** Lines of each host's log that are told. */
const LAST_LINES = 40;
/** Levels of the client's state that are told. */
const DEPTH = 7;
/** Time between two reports (milliseconds): what is the same in both does not move. */
const AGAIN_MS = 5000;
/** Time for which it is watched without faults (milliseconds). */
const QUIET_MS = 60_000;
const STREAMS = ['furcate-default-jobs', 'furcate-default-results'] as const;
/** Of a message that a server lists which was killed, and of which it has nothing. */
const IS_HOLLOW = 'is listed, and is not there';
/** What says nothing of a call: connections, bytes, timers. */
const LEFT_OUT: ReadonlySet<string> = new Set(['Link', 'Timeout', 'Promise', 'PullConsumerImpl']);

/** A cluster, and what was done to it. */
export interface Scene {
  readonly cluster: Cluster;
  readonly processes: Processes;
  readonly faults: string[];
  /** True once nothing more is done to it. */
  isOver: boolean;
}

/** @param settles resolves when the call that hangs has ended */
export async function whatThereIs({ cluster, processes, faults }: Scene, settles: Promise<unknown>): Promise<string> {
  const report = async (): Promise<readonly string[]> => [
    `--- at ${new Date().toISOString()}`,
    ...stateOf(cluster),
    ...(await allMessages(processes).catch((error: unknown) => [`the server does not tell: ${String(error)}`])),
  ];
  const first = await report();
  await delay(AGAIN_MS);
  const second = await report();
  const end = await Promise.race([settles.then(() => 'has ended'), delay(QUIET_MS, 'hangs')]);
  const last = `--- at ${new Date().toISOString()}, when nothing was done to the cluster for a while, it ${end}`;
  const logs = processes.outputs.flatMap((output) => output.trimEnd().split('\n').slice(-LAST_LINES));
  return [...first, ...second, '--- faults', ...faults, '--- hosts', ...logs, last].join('\n');
}

/** What a client has in its fields. Private ones are properties, as it is built. */
function stateOf(cluster: Cluster): readonly string[] {
  const lines: string[] = [];
  const seen = new Set<object>();
  const tell = (name: string, value: unknown, depth: number): void => {
    const indent = '  '.repeat(depth);
    if (typeof value === 'function') return;
    if (typeof value !== 'object' || value === null) {
      lines.push(`${indent}${name}: ${String(value)}`);
      return;
    }
    const { name: kind = '' } = value.constructor ?? {};
    if (depth > DEPTH || seen.has(value) || LEFT_OUT.has(kind) || ArrayBuffer.isView(value)) return;
    seen.add(value);
    const entries = value instanceof Map || value instanceof Set ? [...value.entries()] : Object.entries(value);
    lines.push(`${indent}${name}: ${kind}${Array.isArray(entries[0]) ? '' : ', empty'}`);
    for (const [key, one] of entries) {
      if (typeof key === 'object') tell('of', key, depth + 1);
      tell(String(key), one, depth + 1);
    }
  };
  tell('the client', cluster, 0);
  return lines;
}

/** All messages of the streams, as people can tell them apart. */
export async function allMessages(processes: Processes): Promise<readonly string[]> {
  const nats = await connectToNats({ servers: processes.nats });
  const manager = await jetstreamManager(nats);
  const found: string[] = [];
  for (const stream of STREAMS) {
    const { state, created } = await manager.streams.info(stream, { subjects_filter: '>' });
    found.push(`${stream}: made ${created}, ${state.messages} messages, ${state.first_seq} to ${state.last_seq}`);
    const tell = async (subject: string): Promise<string> => {
      const message = await manager.streams.getMessage(stream, { last_by_subj: subject });
      if (message === null) return `${subject}: ${IS_HOLLOW}`;
      const { seq, time, header } = message;
      const holders = stream === STREAMS[0] ? await holdersOf(nats, subject) : header?.get('Furcate-Host');
      return `${subject}: ${seq}, of ${time.toISOString()}, ${holders}`;
    };
    found.push(...(await Promise.all(Object.keys(state.subjects ?? {}).map(tell))));
    for await (const { name, created: made, config, ts: _, cluster: __, ...consumer } of manager.consumers.list(stream))
      found.push(
        `${name}: made ${made}, ${config.filter_subjects ?? config.filter_subject}: ${JSON.stringify(consumer)}`,
      );
  }
  found.push(...(await answersOf(nats)).map((answer) => `a host: ${answer}`));
  await nats.close();
  return found;
}

/** Checks whether a client could delete something of that. The server itself cannot delete what it only lists. */
export const hasMessages = (told: readonly string[]): boolean =>
  told.some((line) => line.startsWith('furcate.') && !line.endsWith(IS_HOLLOW));

/** What hosts say of themselves. @param job whether they have this one, too */
async function answersOf(nats: NatsConnection, job = ''): Promise<readonly string[]> {
  const answers: string[] = [];
  const options = { strategy: 'stall', stall: 300, maxWait: 2000 } as const;
  for await (const answer of await nats.requestMany('furcate.default.who', job, options)) answers.push(answer.string());
  return answers;
}

async function holdersOf(nats: NatsConnection, job: string): Promise<string> {
  return (await answersOf(nats, job)).filter((answer) => answer.includes('"holds":true')).join(' ') || 'held by nobody';
}
