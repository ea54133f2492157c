/**
 * Events of a host: one list, each on a channel of `node:diagnostics_channel`. Logs, metrics, health and programs listen there, and an event that
 * nobody listens to costs a look at a flag. An error that nobody listens to goes to stderr.
 */
import { type Channel, channel } from 'node:diagnostics_channel';

/** In every event: which host tells it. */
export interface OfHost {
  /** The name of the host. */
  readonly host: string;
  /** The application that it serves. */
  readonly app: string;
}

/** In every event of a job: which job it is. */
export interface OfJob extends OfHost {
  /** The run that the client has named, or the id of the client where it has named none. */
  readonly run: string;
  readonly call: string;
  /** Names the job within its call. */
  readonly job: string;
  /** The task or function that it runs. */
  readonly what: string;
  /** Number of times that the server has delivered the job, this time included. */
  readonly delivery: number;
}

/** In the events that end a job. */
export interface OfEnd extends OfJob {
  /** Time for which the host had it (milliseconds). */
  readonly ms: number;
}

/** The events of a host, by their names. The channel of an event is `furcate:host:` and its name. */
export interface HostEvents {
  /** The host takes jobs. */
  readonly ready: OfHost & { readonly version: string; readonly threads: number };
  /** `bytes`: of the arguments. */
  readonly 'job-begun': OfJob & { readonly bytes: number };
  /** The result is published; `bytes` are those of the result. */
  readonly 'job-done': OfEnd & { readonly bytes: number };
  /** The job has thrown, and its error is published as the result. */
  readonly 'job-failed': OfEnd & { readonly bytes: number; readonly error: string };
  /** Other hosts were idle, and have a part of the job: this host has published `done` parts of it, and left as many others to them. */
  readonly 'job-shared': OfEnd & { readonly done: number; readonly left: number };
  /** The client has cancelled the call of the job. */
  readonly 'job-cancelled': OfEnd;
  /** The host leaves the job to others. */
  readonly 'job-left': OfEnd & { readonly reason: string };
  /** Leases of as many jobs were renewed. */
  readonly 'leases-renewed': OfHost & { readonly jobs: number };
  /** The host was silent for longer than its lease, so another host may have been given the job. It goes on: the first result counts. */
  readonly 'lease-lost': OfJob & { readonly silentMs: number };
  /** The client of a run without a name was gone for two leases: the host has deleted what was left of it. */
  readonly 'run-abandoned': OfHost & { readonly run: string; readonly jobs: number; readonly results: number };
  /** The server does not answer. The host goes on trying. */
  readonly 'server-gone': OfHost & { readonly error: string };
  readonly 'server-back': OfHost;
  /** Something failed that is no job's fault. */
  readonly trouble: OfHost & { readonly error: string };
  /** The host takes no more jobs, and ends when those that it has are done. */
  readonly ending: OfHost & { readonly jobs: number };
  readonly ended: OfHost;
}

export type HostEventName = keyof HostEvents;

/** All names, and what becomes of an event that nobody listens to. */
const EVENTS: Readonly<Record<HostEventName, 'is printed' | 'is dropped'>> = {
  ready: 'is dropped',
  'job-begun': 'is dropped',
  'job-done': 'is dropped',
  'job-failed': 'is dropped',
  'job-shared': 'is dropped',
  'job-cancelled': 'is dropped',
  'job-left': 'is dropped',
  'leases-renewed': 'is dropped',
  'lease-lost': 'is dropped',
  'run-abandoned': 'is dropped',
  'server-gone': 'is printed',
  'server-back': 'is dropped',
  trouble: 'is printed',
  ending: 'is dropped',
  ended: 'is dropped',
};

const channelOf = (name: HostEventName): Channel => channel(`furcate:host:${name}`);

/** Takes any event. */
export type HostListener = <N extends HostEventName>(name: N, event: HostEvents[N]) => void;

const NAMES = Object.keys(EVENTS) as readonly HostEventName[];

/** Hears of events of the hosts in this process. @param names which ones: each that is heard costs its host a little. @returns ends that */
export function listen(listener: HostListener, names = NAMES): () => void {
  const ends = names.map((name) => {
    const heard = (event: unknown): void => listener(name, event as HostEvents[typeof name]);
    const one = channelOf(name);
    one.subscribe(heard);
    return () => void one.unsubscribe(heard);
  });
  return () => {
    for (const end of ends) end();
  };
}

/** Tells the events of one host. */
export class HostVoice {
  readonly #of: OfHost;
  readonly #channels = new Map<HostEventName, Channel>();

  constructor(of: OfHost) {
    this.#of = of;
    for (const name of NAMES) this.#channels.set(name, channelOf(name));
  }

  /** Checks whether an event of this name goes anywhere. */
  isHeard(name: HostEventName): boolean {
    return EVENTS[name] === 'is printed' || (this.#channels.get(name) as Channel).hasSubscribers;
  }

  tell<N extends HostEventName>(name: N, event: Omit<HostEvents[N], keyof OfHost>): void {
    const { hasSubscribers, publish } = this.#channels.get(name) as Channel;
    if (hasSubscribers) publish.call(this.#channels.get(name), { ...this.#of, ...event });
    else if (EVENTS[name] === 'is printed')
      console.error(`furcate: host '${this.#of.host}': ${(event as { readonly error?: string }).error ?? name}`);
  }
}
