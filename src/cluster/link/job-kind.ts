/** Kinds of jobs: a task of the library, or a call of a host function. */

import { jsonIn, notOurs } from './arrived.js';

/** Kind of a job's bytes: a packed task, a packed task that hosts may share, or a packed `HostCall`. */
export type PayloadKind = 'task' | 'tree' | 'host function';

/** A call of a host function. */
export interface HostCall {
  readonly url: string;
  readonly name: string;
  /** Packed. */
  readonly argument: Uint8Array;
}

const LINE_END = 10;

/** A call as bytes: a line of JSON, and the argument. */
export function packCall({ url, name, argument }: HostCall): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify([url, name])}\n`);
  const bytes = new Uint8Array(line.length + argument.length);
  bytes.set(line);
  bytes.set(argument, line.length);
  return bytes;
}

/** @throws TypeError for bytes that are no call */
export function unpackCall(bytes: Uint8Array): HostCall {
  const end = bytes.indexOf(LINE_END);
  const line: unknown = jsonIn(bytes.subarray(0, Math.max(end, 0)));
  const [url, name] = Array.isArray(line) ? (line as unknown[]) : [];
  if (typeof url !== 'string' || typeof name !== 'string') throw notOurs('it calls no host function by its name');
  return { url, name, argument: bytes.slice(end + 1) }; // a copy: views in it must be aligned
}

/** @throws TypeError for what is no kind of job */
export function kindOf(text: string): PayloadKind {
  const kind = (['task', 'tree', 'host function'] as const).find((one) => one === text);
  if (kind === undefined) throw notOurs(`a job is of the kind '${text.slice(0, 100)}'`);
  return kind;
}

/** Form of a result's bytes: a packed outcome, or, of a job that its host has shared, the paths of its parts as JSON. */
export type ResultForm = 'outcome' | 'parts';
