/** Tells the events of one job of a host, with its names and how long the host has had it. */

import { sizeOfLoad } from '../link/large.js';
import { HEADER, nameIn, runIn } from '../link/names.js';
import type { HostEvents, HostVoice, OfEnd, OfHost, OfJob } from './host-events.js';
import type { JobMessage } from './job-message.js';
import type { Outcome } from './run-job.js';

/** The events by which a job ends at a host. */
type EndName = { [N in keyof HostEvents]: HostEvents[N] extends OfEnd ? N : never }[keyof HostEvents];

/** What was thrown, as text. Nothing of it is called: it may have arrived. */
export function textOfError(value: unknown): string {
  if (typeof value !== 'object' && typeof value !== 'function') return String(value);
  const { name, message } = (value ?? {}) as Partial<Error>;
  if (typeof message !== 'string') return value === null ? 'null' : 'an object that is no error';
  return `${typeof name === 'string' ? name : 'Error'}: ${message}`;
}

export class JobVoice {
  readonly #voice: HostVoice;
  readonly #job: Omit<OfJob, keyof OfHost>;
  readonly #startedMs = performance.now();

  /** Tells that the job has begun. */
  constructor(voice: HostVoice, job: JobMessage) {
    const { run, call, key } = nameIn(job.subject);
    this.#voice = voice;
    this.#job = { run: runIn(run), call, job: key, what: job.header(HEADER.what), delivery: job.deliveries };
    const bytes = sizeOfLoad({ chunks: job.header(HEADER.chunks), bytes: job.bytes });
    voice.tell('job-begun', { ...this.#job, bytes });
  }

  leaseLost(silentMs: number): void {
    this.#voice.tell('lease-lost', { ...this.#job, silentMs });
  }

  /** @param bytes how many the published result has */
  published({ failed, value }: Outcome, bytes: number): void {
    if (failed) this.ended('job-failed', { bytes, error: textOfError(value) });
    else this.ended('job-done', { bytes });
  }

  ended<N extends EndName>(name: N, more: Omit<HostEvents[N], keyof OfEnd>): void {
    const end = { ...this.#job, ms: performance.now() - this.#startedMs, ...more };
    this.#voice.tell(name, end as unknown as Omit<HostEvents[N], keyof OfHost>);
  }
}
