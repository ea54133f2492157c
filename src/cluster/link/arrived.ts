/**
 * Reads what others have sent, apart from the bytes of tasks and values: orders, answers, headers, lists. Whoever may publish can send anything. Each of
 * these functions takes any bytes, and gives what is right or says that it is not.
 */
import type { Msg, MsgHdrs } from '@nats-io/transport-node';

/** Parts that a host is asked for, at most. It may give more, where a task is split into more. */
const MOST_WANTED = 65_536;
/** Chunks of a value at most: 2 TB of the largest ones. */
const MOST_CHUNKS = 2 ** 21;

/** Error for a message that no program of this version has sent. */
export const notOurs = (what: string): TypeError =>
  new TypeError(
    `furcate: a message does not hold what this version of furcate sends: ${what}. Let only clients and hosts of your application publish to its subjects.`,
  );

/** A header; empty where there is none. One that was not made by `encodeURIComponent` stays as it is. */
export function headerOf({ headers }: { readonly headers?: MsgHdrs | undefined }, name: string): string {
  const text = headers?.get(name) ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Callback of a subscription. */
export type MessageCallback<T> = (message: T) => void;

/** Tells people what is wrong. */
export type Say = (text: string) => void;

/**
 * The callback of a subscription. What goes wrong in it concerns one message: it is said, and the next message is heard. If it were thrown, the
 * reader of the NATS client would end, and the program be deaf for good.
 */
export const guarded =
  (hear: MessageCallback<Msg>, say?: Say): ((error: Error | null, message: Msg) => void) =>
  (error, message) => {
    if (error === null) guard(hear, say)(message);
  };

/** As `guarded`, for callbacks that get no errors. */
export const guard =
  <T>(hear: MessageCallback<T>, say: Say = console.error): MessageCallback<T> =>
  (message) => {
    try {
      hear(message);
    } catch (error) {
      say(`furcate: a message could not be used: ${textOf(error)}`);
    }
  };

/**
 * Answers a question. Who asks names the subject of the answer, and must not have a host or a client publish where only those may: a question whose answer would go
 * to the server's own subjects, or to those of an application, gets none.
 */
export function answer(message: Pick<Msg, 'reply' | 'respond'>, text = ''): void {
  if (!/^(\$|furcate\.)/.test(message.reply ?? '$')) message.respond(text);
}

function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return typeof error;
  }
}

const decoder = new TextDecoder();

/** JSON in bytes; undefined for what is none. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    return undefined; // not JSON, or too deep in itself
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Asks hosts to share jobs. */
export interface ShareOrder {
  readonly keys: readonly string[];
  /** Parts that each should give. */
  readonly wanted: number;
}

/** Undefined for what is no order. */
export function shareOrderIn(bytes: Uint8Array): ShareOrder | undefined {
  const order = jsonIn(bytes);
  if (!isRecord(order)) return undefined;
  const { keys, wanted } = order;
  return areTexts(keys) && isCount(wanted) ? { keys, wanted: Math.min(wanted, MOST_WANTED) } : undefined;
}

/** Answer of a host about itself. */
export interface HostAnswer {
  readonly name: string;
  readonly threads: number;
  /** Of the program that it runs. */
  readonly version: string;
  /** Jobs that it runs. */
  readonly jobs: number;
  /** True if it has the job that it was asked for. */
  readonly holds: boolean;
  /** Time for which its main thread has stood still (milliseconds). */
  readonly blockedMs: number;
}

/** Undefined for what is no answer of a host. */
export function hostAnswerIn(bytes: Uint8Array): HostAnswer | undefined {
  const answer = jsonIn(bytes);
  if (!isRecord(answer)) return undefined;
  const { name, threads, version, jobs, holds = false, blockedMs = 0 } = answer;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  if (![threads, jobs, blockedMs].every(isCount) || typeof holds !== 'boolean') return undefined;
  return { name, threads, version, jobs, holds, blockedMs } as HostAnswer;
}

/** A part of a job that was shared: its path from the job, and a digest of the task that it is. */
export type PartName = readonly [path: string, digest: string];

const PATH = /^(-\d{1,9})*$/;
const isPartName = (part: unknown): part is PartName =>
  areTexts(part) && part.length === 2 && PATH.test(part[0] as string);

/** The parts of a job that was shared. @throws TypeError for what is no such list */
export function partsIn(bytes: Uint8Array): readonly PartName[] {
  const parts = jsonIn(bytes);
  if (Array.isArray(parts) && parts.length > 0 && parts.every(isPartName)) return parts;
  throw notOurs('a list of parts has other things in it');
}

/** Place of the chunks of a large value. */
export interface ChunkList {
  readonly id: string;
  readonly count: number;
  readonly sizeBytes: number;
}

export const chunkHeader = ({ id, count, sizeBytes }: ChunkList): string => `${id} ${count} ${sizeBytes}`;

/** @throws TypeError for a header that is none of `chunkHeader` */
export function chunksIn(header: string): ChunkList {
  const [id = '', count, sizeBytes, ...more] = header.split(' ');
  const list = { id, count: Number(count), sizeBytes: Number(sizeBytes) };
  const areCounts = isCount(list.count) && list.count <= MOST_CHUNKS && isCount(list.sizeBytes);
  if (/^[A-Za-z0-9-]{1,64}$/.test(id) && areCounts && list.count <= list.sizeBytes && more.length === 0) return list;
  throw notOurs('the list of the chunks of a value');
}
