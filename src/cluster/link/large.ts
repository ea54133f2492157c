/**
 * Jobs and results that are larger than a message may be. Their bytes are in chunks in the stream of results, below the subject of the result, and the
 * message says how many there are:
 *
 *     furcate.<app>.result.<run>.<call>.<key>.<id>.<n>
 *
 * The id is new each time, so that two hosts which run the same job do not mix theirs. They go when the call ends, with all below its subject.
 */
import { chunkHeader, chunksIn, notOurs } from './arrived.js';
import { allArrived } from './barrier.js';
import type { Link } from './link.js';
import { HEADER, type JobName } from './names.js';

/** Space that headers of a message take at most (bytes). */
const HEADER_BYTES = 1024;
/** The largest chunk (bytes): the server sends and stores each as one message. */
const MOST_CHUNK_BYTES = 2 ** 20;
/** Chunks that are under way at the same time. */
const MOST_UNDER_WAY = 8;

/** The smallest `max_payload` of a server: what tells of chunks must fit a message (bytes). */
const LEAST_PAYLOAD_BYTES = 512;

/**
 * Size of a chunk (bytes).
 *
 * @throws RangeError where the server takes too small messages
 */
export function chunkBytes(maxPayload: number): number {
  if (maxPayload < LEAST_PAYLOAD_BYTES)
    throw new RangeError(
      `furcate: the NATS server takes messages of ${maxPayload} bytes at most, which is too little for a cluster. Give it a max_payload of ${LEAST_PAYLOAD_BYTES} or more; 1 MB is its default.`,
    );
  return Math.max(maxPayload - HEADER_BYTES, maxPayload >> 1); // chunks have no headers
}

/** Payload of a message: the bytes, or none and headers that say where they are. */
export interface Payload {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Stores bytes that are too large for a message.
 *
 * @param until ends the tries when it is aborted
 * @throws what the server refuses
 */
export async function loadOf(
  link: Link,
  name: JobName,
  { bytes, until }: { readonly bytes: Uint8Array; readonly until: { readonly aborted: boolean } },
): Promise<Payload> {
  if (bytes.length <= link.maxPayload - HEADER_BYTES) return { bytes, headers: {} };
  const id = crypto.randomUUID();
  const size = Math.min(chunkBytes(link.maxPayload), MOST_CHUNK_BYTES);
  const count = Math.ceil(bytes.length / size);
  const load = {
    bytes: new Uint8Array(),
    headers: { [HEADER.chunks]: chunkHeader({ id, count, sizeBytes: bytes.length }) },
  };
  try {
    await inTurns(
      count,
      (n) => {
        const chunk = bytes.subarray(n * size, (n + 1) * size);
        return link.publish(link.names.chunk(name, id, `${n}`), chunk, { headers: {}, until });
      },
      () => until.aborted,
    );
  } catch (error) {
    await dropLoad(link, name, load);
    throw error;
  }
  return load;
}

/** The bytes that a message stands for: its own, or those that it says are stored; 0 where it says nothing that can be. */
export function sizeOfLoad({ chunks, bytes }: { readonly chunks: string; readonly bytes: Uint8Array }): number {
  try {
    return chunks === '' ? bytes.length : chunksIn(chunks).sizeBytes;
  } catch {
    return 0;
  }
}

/** Takes back chunks that no message tells of. */
export async function dropLoad(link: Link, name: JobName, { headers }: Payload): Promise<void> {
  const [id] = (headers[HEADER.chunks] ?? '').split(' ');
  if (id === undefined || id === '') return;
  const { manager, names } = link;
  const filter = names.chunk(name, id, '*');
  const dropped = allArrived(link, names.result(name)).then(() => manager.streams.purge(names.results, { filter }));
  await dropped.catch(() => {}); // they go by themselves, later
}

/**
 * The bytes of a message: its own, or those that it says are stored.
 *
 * @param chunks the header that says so; empty where there is none
 * @throws Error where they are not there any more
 */
export async function bytesOfLoad(
  link: Link,
  name: JobName,
  { chunks, bytes }: { readonly chunks: string; readonly bytes: Uint8Array },
): Promise<Uint8Array> {
  if (chunks === '') return bytes;
  const { id, count, sizeBytes } = chunksIn(chunks);
  const { manager, names } = link;
  const parts: Uint8Array[] = [];
  await inTurns(count, async (n) => {
    const stored = await link.patiently(() =>
      manager.direct.getMessage(names.results, { last_by_subj: names.chunk(name, id, `${n}`) }),
    );
    if (stored === null)
      throw new Error(
        `furcate: the server has lost part ${n + 1} of ${count} of a value of ${sizeBytes} bytes, which was too large for a message.`,
      );
    parts[n] = stored.data;
  });
  if (parts.reduce((sum, part) => sum + part.length, 0) !== sizeBytes) throw notOurs('the chunks of a value');
  const whole = new Uint8Array(sizeBytes);
  let read = 0;
  for (const part of parts) {
    whole.set(part, read);
    read += part.length;
  }
  return whole;
}

/** Does `count` things, some at the same time, unless it is over. @throws the first error */
async function inTurns(
  count: number,
  act: (n: number) => Promise<unknown>,
  isOver = (): boolean => false,
): Promise<void> {
  let next = 0;
  const turn = async (): Promise<void> => {
    while (next < count && !isOver()) await act(next++);
  };
  await Promise.all(Array.from({ length: Math.min(count, MOST_UNDER_WAY) }, turn));
}
