/**
 * Publishes what jobs of a host give: the outcome of a job, or the parts of one that was shared. The first result of a job counts.
 *
 * A result belongs to a job that is in the stream. Where a host may have lost the lease of a job, or the job was submitted to a stream that is no more, its
 * call may have ended, and nobody deletes a result that comes later. So the outbox looks whether the job is still there, and takes such a result back.
 *
 * Where the server has no room for a result, it may have none for the error that says so. Then the client is told beside the streams. One that does not hear it
 * finds its job in neither stream, and submits it again.
 */
import { headerOf, type PartName } from '../link/arrived.js';
import { allArrived } from '../link/barrier.js';
import { isGone } from '../link/inventory.js';
import type { ResultForm } from '../link/job-kind.js';
import { dropLoad, loadOf, type Payload } from '../link/large.js';
import { type Link, UNKNOWN } from '../link/link.js';
import { HEADER, type JobName, keyOfPart, nameIn } from '../link/names.js';
import type { JobMessage } from './job-message.js';
import { bytesOf, type JobOutcome, type SharedJob } from './run-job.js';

/** A job that has ended. */
export interface EndedJob {
  readonly job: JobMessage;
  readonly signal: AbortSignal;
  /** Returns true if the host may have lost its lease meanwhile. */
  isDoubtful(): boolean;
}

export class Outbox {
  readonly #link: Link;
  readonly #host: string;

  constructor(link: Link, host: string) {
    this.#link = link;
    this.#host = host;
  }

  /** Publishes the outcome of a job. @returns its bytes */
  outcome(ended: EndedJob, outcome: JobOutcome): Promise<number> {
    return this.#publish(ended, '', outcome);
  }

  /** The results of the parts that are done come before the list of all parts: the client submits those that have no result by then. */
  async parts(ended: EndedJob, { done, left }: SharedJob): Promise<void> {
    await Promise.all(done.map(({ name: [path], value }) => this.#publish(ended, path, { failed: false, value })));
    const list: readonly PartName[] = [...done.map(({ name }) => name), ...left];
    const bytes = new TextEncoder().encode(JSON.stringify(list));
    const refused = (cause: unknown): Promise<void> => this.#fail(ended, '', { sizeBytes: bytes.length, cause });
    await this.#store(ended, '', { bytes, form: 'parts' }).catch(refused);
  }

  /** Checks whether a job has a result. */
  async has(name: JobName): Promise<boolean> {
    const { manager, names } = this.#link;
    const result = await this.#link.patiently(() =>
      manager.streams.getMessage(names.results, { last_by_subj: names.result(name) }),
    );
    return result !== null;
  }

  async #publish(ended: EndedJob, path: string, outcome: JobOutcome): Promise<number> {
    const bytes = bytesOf(outcome);
    const refused = (cause: unknown): Promise<void> => this.#fail(ended, path, { sizeBytes: bytes.length, cause });
    await this.#store(ended, path, { bytes, form: 'outcome' }).catch(refused);
    return bytes.length;
  }

  /** Fails a job whose result the server does not store: in its place, or beside the streams. @throws `cause` where the connection is closed */
  async #fail(
    ended: EndedJob,
    path: string,
    { sizeBytes, cause }: { readonly sizeBytes: number; readonly cause: unknown },
  ): Promise<void> {
    const { connection, names } = this.#link;
    if (connection.isClosed()) throw cause;
    const bytes = bytesOf({ failed: true, value: notStored(ended.job.header(HEADER.what), sizeBytes, cause) });
    const { key, ...call } = nameIn(ended.job.subject);
    await this.#store(ended, path, { bytes, form: 'outcome' }).catch(() =>
      connection.publish(names.told({ ...call, key: keyOfPart(key, path) }), bytes),
    );
  }

  async #store(
    ended: EndedJob,
    path: string,
    { bytes, form }: { readonly bytes: Uint8Array; readonly form: ResultForm },
  ): Promise<void> {
    const { names } = this.#link;
    const { job, signal } = ended;
    const { key, ...call } = nameIn(job.subject);
    const name = { ...call, key: keyOfPart(key, path) };
    const load: Payload = await loadOf(this.#link, name, { bytes, until: signal });
    const headers = { [HEADER.form]: form, [HEADER.host]: this.#host, ...load.headers };
    let isLate = false; // a try may have been stored before the call has ended, and another one after that
    const onRetry = (): void => {
      isLate = true;
    };
    const seq = await this.#link
      .publish(names.result(name), load.bytes, { headers, until: signal, onRetry })
      .catch(async (error) => {
        await dropLoad(this.#link, name, load);
        throw error;
      });
    const isDoubtful = isLate || ended.isDoubtful();
    if (seq !== undefined && !signal.aborted && !(isDoubtful && (await isGone(this.#link, job.subject)))) return;
    // Another host was first, or the call has ended or was cancelled.
    if (seq !== undefined) await this.#takeBack(name, seq).catch(() => {}); // it goes by itself, later
    await dropLoad(this.#link, name, load);
  }

  /** Deletes the result that this host has stored, and none of a later call. */
  async #takeBack(name: JobName, seq: number): Promise<void> {
    const { manager, names } = this.#link;
    const filter = names.result(name);
    const own = seq === UNKNOWN ? await this.#numberOfOwn(filter) : seq;
    if (own !== UNKNOWN)
      await this.#link.patiently(() => manager.streams.purge(names.results, { filter, seq: own + 1 }));
  }

  /** The number of a result whose answer was lost, if it is of this host. */
  async #numberOfOwn(last_by_subj: string): Promise<number> {
    const { manager, names } = this.#link;
    await allArrived(this.#link, last_by_subj);
    const found = await this.#link.patiently(() => manager.streams.getMessage(names.results, { last_by_subj }));
    return found !== null && headerOf({ headers: found.header }, HEADER.host) === this.#host ? found.seq : UNKNOWN;
  }
}

const notStored = (what: string, sizeBytes: number, cause: unknown): Error =>
  new RangeError(
    `furcate: the result of ${what} has ${sizeBytes} bytes, and the server does not store them: ${String(cause)}. Return less, or give the server more room.`,
    { cause },
  );
