/**
 * The names of an application's streams, subjects and headers, on which clients and hosts must agree.
 *
 * A job is named by its run, its call and its key, and so is its result:
 *
 *     furcate.<app>.job.<run>.<call>.<key>         in the stream furcate-<app>-jobs until a host has acknowledged it
 *     furcate.<app>.result.<run>.<call>.<key>      in the stream furcate-<app>-results until the call has ended
 */
import { createHash } from 'node:crypto';

/** Names a job within its application. */
export interface JobName {
  readonly run: string;
  readonly call: string;
  readonly key: string;
}

/** Headers of jobs and results. */
export const HEADER = {
  /** Of a job: what its bytes are, a `JobKind`. */
  kind: 'Furcate-Kind',
  /** Of a job: what it runs, for messages. */
  what: 'Furcate-What',
  /** Of a job: the version of the application that the client runs. */
  version: 'Furcate-App-Version',
  /** Of a result: what its bytes are, a `ResultForm`. */
  form: 'Furcate-Form',
  /** Of a result: the host that computed it. */
  host: 'Furcate-Host',
} as const;

/** How many characters of a digest tell jobs apart. */
const DIGEST_CHARACTERS = 16;

/** Tells jobs apart that have the same place in a call: the same run with other arguments must not take old results for its own. */
export const digestOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_CHARACTERS);

/** Any text as one token of a subject. */
export const token = (text: string): string =>
  text.replace(/[^A-Za-z0-9_-]/gu, (character) => `=${(character.codePointAt(0) as number).toString(16)}=`);

/** The streams and subjects of an application. */
export class Names {
  readonly jobs: string;
  readonly results: string;
  /** The durable consumer that all hosts pull from. */
  readonly hosts = 'hosts';
  readonly #prefix: string;

  constructor(app: string) {
    this.jobs = `furcate-${token(app)}-jobs`;
    this.results = `furcate-${token(app)}-results`;
    this.#prefix = `furcate.${token(app)}`;
  }

  job({ run, call, key }: JobName): string {
    return `${this.#prefix}.job.${run}.${call}.${key}`;
  }

  result({ run, call, key }: JobName): string {
    return `${this.#prefix}.result.${run}.${call}.${key}`;
  }

  /** Where hosts hear that a call has been cancelled. `*` for both hears of all. */
  cancel(run: string, call: string): string {
    return `${this.#prefix}.cancel.${run}.${call}`;
  }

  /** Where hosts hear that some of a call's jobs should be shared. `*` for both hears of all. */
  share(run: string, call: string): string {
    return `${this.#prefix}.share.${run}.${call}`;
  }

  /** The subjects of the two streams. */
  get allJobs(): string {
    return this.job({ run: '*', call: '*', key: '*' });
  }
  get allResults(): string {
    return this.result({ run: '*', call: '*', key: '*' });
  }
}

/** The name of a job from the subject of the job, or of its result. */
export function nameIn(subject: string): JobName {
  const [, , , run = '', call = '', key = ''] = subject.split('.');
  return { run, call, key };
}
