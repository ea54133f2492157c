/** Tells the events of one job of a host, with its names and how long the host has had it. */

import { sizeOfLoad } from '../link/large.js';
import { HEADER, nameIn, runIn } from '../link/names.js';
import { noteJob } from '../timeline.js';
import type { HostEvents, HostVoice, OfEnd, OfHost, OfJob } from './host-events.js';
import type { JobMessage } from './job-message.js';
import type { JobOutcome } from './run-job.js';

/** The events by which a job ends at a host. */
type EndName = { [N in keyof HostEvents]: HostEvents[N] extends OfEnd ? N : never }[keyof HostEvents];

/** Text of what was thrown. It may have arrived, or have accessors that throw. */
export function textOfError(value: unknown): string {
  if (typeof value !== 'object' && typeof value !== 'function') return String(value);
  try {
    const { name, message } = (value ?? {}) as Partial<Error>;
    if (typeof message === 'string') return `${typeof name === 'string' ? name : 'Error'}: ${message}`;
  } catch {
    // It is shown as what it is.
  }
  return value === null ? 'null' : 'an object that is no error';
}

export class JobVoice {
  readonly #voice: HostVoice;
  readonly #message: JobMessage;
  readonly #startedMs = performance.now();
  #names: Omit<OfJob, keyof OfHost> | undefined;

  /** Tells that the job has begun. */
  constructor(voice: HostVoice, job: JobMessage) {
    this.#voice = voice;
    this.#message = job;
    if (!voice.isHeard('job-begun')) return;
    const bytes = sizeOfLoad({ chunks: job.header(HEADER.chunks), bytes: job.bytes });
    voice.tell('job-begun', { ...this.#job, bytes });
  }

  leaseLost(silentMs: number): void {
    this.#voice.tell('lease-lost', { ...this.#job, silentMs });
  }

  /** @param bytes how many the published result has */
  published({ failed, value }: JobOutcome, bytes: number): void {
    if (!failed) this.ended('job-done', { bytes });
    else this.ended('job-failed', { bytes, error: this.#voice.isHeard('job-failed') ? textOfError(value) : '' });
  }

  ended<N extends EndName>(name: N, more: Omit<HostEvents[N], keyof OfEnd>): void {
    noteJob(this.#message.header(HEADER.what), this.#startedMs, nameIn(this.#message.subject));
    if (!this.#voice.isHeard(name)) return;
    const end = { ...this.#job, ms: performance.now() - this.#startedMs, ...more };
    this.#voice.tell(name, end as unknown as Omit<HostEvents[N], keyof OfHost>);
  }

  /** The names of the job, made where somebody hears of it. */
  get #job(): Omit<OfJob, keyof OfHost> {
    if (this.#names !== undefined) return this.#names;
    const { run, call, key } = nameIn(this.#message.subject);
    const { deliveries: delivery } = this.#message;
    this.#names = { run: runIn(run), call, job: key, what: this.#message.header(HEADER.what), delivery };
    return this.#names;
  }
}
