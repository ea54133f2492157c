/** What travels as a job: a task of the library, or a call of a host function. */

/** What the bytes of a job are: a packed task, a packed task that hosts may share, or a packed `HostCall`. */
export type JobKind = 'task' | 'tree' | 'host function';

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

export function unpackCall(bytes: Uint8Array): HostCall {
  const end = bytes.indexOf(LINE_END);
  const [url, name] = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as [string, string];
  return { url, name, argument: bytes.slice(end + 1) }; // a copy: views in it must be aligned
}

/** What the bytes of a result are: a packed outcome, or, of a job that its host has shared, the paths of its parts as JSON. */
export type ResultForm = 'outcome' | 'parts';

/** Asks hosts to share jobs. */
export interface ShareOrder {
  readonly keys: readonly string[];
  /** Parts that each should give. */
  readonly wanted: number;
}
