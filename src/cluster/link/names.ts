/**
 * The names of an application's streams, subjects and headers, on which clients and hosts must agree.
 *
 * A job is named by its run, its call and its key, and so is its result:
 *
 *     furcate.<app>.job.<place>.<run>.<call>.<key>   in the stream furcate-<app>-jobs until a host has acknowledged it
 *     furcate.<app>.result.<run>.<call>.<key>        in the stream furcate-<app>-results until the call has ended
 *
 * The place of a job is `any`, or `at-<host>` for one that should run on that host. That of a program with a version begins with `v<digest>-`. Each
 * place has a consumer, so a job waits for a host of its version.
 */
import { createHash } from 'node:crypto';

/** Names a call within its application. */
export type CallName = Omit<JobName, 'key'>;

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
  /** Of a job that can be shared: how often what it was a part of has been shared. */
  shares: 'Furcate-Shares',
  /** Of a job: how long a host may run it (milliseconds). */
  timeout: 'Furcate-Timeout',
  /** Of a result: what its bytes are, a `ResultForm`. */
  form: 'Furcate-Form',
  /** Of what is too large for a message: the id of its chunks, their number, and all their bytes. */
  chunks: 'Furcate-Chunks',
  /** Of a result: the host that computed it. */
  host: 'Furcate-Host',
} as const;

/** Number of characters of a digest that tell jobs apart. */
const DIGEST_CHARACTERS = 16;

/** Tells jobs apart that have the same place in a call: the same run with other arguments must not take old results for its own. */
export const digestOf = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_CHARACTERS);

/** Characters of a path that stand in a key as they are. */
const MOST_PATH_CHARACTERS = 64;
const OF_PART = /^(.*)-p([0-9a-f]+)$/;

/** A place in a call, for a key: subjects have a limit, and trees may be deep. */
export const shortPath = (path: string): string => (path.length <= MOST_PATH_CHARACTERS ? path : `h${digestOf(path)}`);

/**
 * The key of a part of a job that was shared, by its path there. Clients and hosts make the same one. It is no longer than that of the job by more than
 * a digest, however often parts of parts are shared.
 */
export function keyOfPart(key: string, path: string): string {
  if (path === '') return key;
  const [, base = key, above = ''] = OF_PART.exec(key) ?? [];
  return `${base}-p${digestOf(above + path)}`;
}

const OF_OTHER = /^(.*)-r(\d+)$/;

/** Another key for the same job, where the server can store nothing under its own. */
export function otherKey(key: string): string {
  const [, base = key, count = 0] = OF_OTHER.exec(key) ?? [];
  return `${base}-r${Number(count) + 1}`;
}

/** Any text as one token of a subject. */
export const token = (text: string): string =>
  text.replace(/[^A-Za-z0-9_-]/gu, (character) => `=${(character.codePointAt(0) as number).toString(16)}=`);

/**
 * Begins the runs that clients have not named: no token of a name has it. Such a run is of use to its client only, and ends with it.
 */
const OF_CLIENT = '~';
/** The run of a client, for calls that name none. */
export const runOfClient = (id: string): string => OF_CLIENT + id;
const RUN_OF_CLIENT = /^~[0-9a-f-]{36}$/;

/** A run in a subject, as people name it; and the other way round. */
export const runIn = (run: string): string => (RUN_OF_CLIENT.test(run) ? run : textOf(run));
export const runToken = (run: string): string => (RUN_OF_CLIENT.test(run) ? run : token(run));

/** Place where a job waits: undefined for all hosts, or the name of one that should have it. */
export type JobTarget = string | undefined;

/** Text for which a token stands. */
export const textOf = (token: string): string =>
  token.replace(/=(10[0-9a-f]{4}|[0-9a-f]{1,5})=/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));

const placeToken = (place: JobTarget): string => (place === undefined ? 'any' : `at-${token(place)}`);

/** Begins places of a version; names of hosts cannot be mistaken for it. */
const versionToken = (version: string): string => (version === '' ? '' : `v${digestOf(version)}-`);
const PLACE_OF_HOST = /^(?:v[0-9a-f]+-)?at-(.*)$/;

/** The streams and subjects of an application, for programs of one version. */
export class Names {
  readonly jobs: string;
  readonly results: string;
  readonly version: string;
  readonly #prefix: string;

  constructor(app: string, version = '') {
    this.version = version;
    this.jobs = `furcate-${token(app)}-jobs`;
    this.results = `furcate-${token(app)}-results`;
    this.#prefix = `furcate.${token(app)}`;
  }

  job({ run, call, key }: JobName, place: JobTarget): string {
    return `${this.#prefix}.job.${this.#at(place)}.${run}.${call}.${key}`;
  }

  /** The jobs of a call, at all places. */
  jobsOf({ run, call }: Omit<JobName, 'key'>): string {
    return `${this.#prefix}.job.*.${run}.${call}.*`;
  }

  /** The jobs of a run, at all places. */
  jobsOfRun(run: string): string {
    return `${this.#prefix}.job.*.${run}.*.*`;
  }

  /** The results of a run, and their chunks. */
  resultsOfRun(run: string): string {
    return `${this.#prefix}.result.${run}.>`;
  }

  /** Checks whether a run is that of a client, which ends with it. */
  isOfClient(run: string): boolean {
    return RUN_OF_CLIENT.test(run);
  }

  /** The run of what is stored and deleted to see whether that is permitted. */
  get checkRun(): string {
    return `${OF_CLIENT}check`;
  }

  /** Subject on which a client hears whether it lives, by the run of its calls that name none. */
  client(run: string): string {
    return `${this.#prefix}.client.${run}`;
  }

  /**
   * Subject on which a client hears of a job, beside the streams: that there is no room for its result. `*` hears of all.
   */
  told({ run, call, key }: JobName): string {
    return `${this.client(run)}.${call}.${key}`;
  }

  /** The durable consumer that hosts pull the jobs of a place from. */
  consumer(place: JobTarget): string {
    return versionToken(this.version) + (place === undefined ? 'hosts' : placeToken(place));
  }

  /** The jobs of a place. */
  jobsAt(place: JobTarget): string {
    return `${this.#prefix}.job.${this.#at(place)}.*.*.*`;
  }

  result({ run, call, key }: JobName): string {
    return `${this.#prefix}.result.${run}.${call}.${key}`;
  }

  /** Chunk `n` of a value that is too large for a message. */
  chunk(name: JobName, id: string, n: string): string {
    return `${this.result(name)}.${id}.${n}`;
  }

  /** The results of a call without their chunks. */
  wholeResultsOf({ run, call }: Omit<JobName, 'key'>): string {
    return `${this.#prefix}.result.${run}.${call}.*`;
  }

  /** The results of a call, and their chunks. */
  resultsOf({ run, call }: Omit<JobName, 'key'>): string {
    return `${this.#prefix}.result.${run}.${call}.>`;
  }

  /** Subject on which hosts hear that a call has been cancelled. `*` for both hears of all. */
  cancel(run: string, call: string): string {
    return `${this.#prefix}.cancel.${run}.${call}`;
  }

  /** Subject on which hosts hear that some of a call's jobs should be shared. `*` for both hears of all. */
  share(run: string, call: string): string {
    return `${this.#prefix}.share.${run}.${call}`;
  }

  /** Subject on which all hosts are asked who they are. */
  get who(): string {
    return `${this.#prefix}.who`;
  }

  /** The subjects of the two streams. */
  get allJobs(): string {
    return `${this.#prefix}.job.*.*.*.*`;
  }
  get allResults(): string {
    return `${this.#prefix}.result.>`;
  }

  #at(place: JobTarget): string {
    return versionToken(this.version) + placeToken(place);
  }
}

/** The name of a job from the subject of the job, of its result, or of what concerns its call. */
export function nameIn(subject: string): JobName {
  const [, , what, ...rest] = subject.split('.');
  const [run = '', call = '', key = ''] = what === 'job' ? rest.slice(1) : rest;
  return { run, call, key };
}

/** The place of a job from its subject. */
export function placeIn(subject: string): JobTarget {
  const host = PLACE_OF_HOST.exec(subject.split('.')[3] ?? '')?.[1];
  return host === undefined ? undefined : textOf(host);
}
