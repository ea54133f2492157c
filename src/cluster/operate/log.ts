/** Writes the events of hosts: as lines that people read, or as JSON that programs read. */
import { setEnvironmentData } from 'node:worker_threads';
import { type HostEventName, type HostEvents, listen } from '../host/host-events.js';
import { LOG_FORMAT, type LogFormat, lineOf } from '../host/line.js';

/** Severity of each event, and what a person should read of it; undefined for what only programs want to know. */
const WORDS: {
  readonly [N in HostEventName]: readonly ['info' | 'warn' | 'error', ((event: HostEvents[N]) => string) | undefined];
} = {
  ready: ['info', ({ host }) => `furcate host ${host} is ready`],
  'job-begun': ['info', undefined],
  'job-done': ['info', undefined],
  'job-failed': ['warn', ({ what, run, error }) => `a job of ${what} has failed (run ${run}): ${error}`],
  'job-shared': ['info', undefined],
  'job-cancelled': ['info', undefined],
  'job-left': ['warn', ({ what, run, reason }) => `a job of ${what} is left to others (run ${run}): ${reason}`],
  'leases-renewed': ['info', undefined],
  'lease-lost': [
    'warn',
    ({ what, silentMs }) =>
      `a job of ${what} has lost its lease: this host was silent for ${Math.round(silentMs)} ms. Another may have been given the job`,
  ],
  'run-abandoned': [
    'warn',
    ({ run, jobs }) => `the client of run ${run} is gone: its ${jobs} jobs are deleted, and its results`,
  ],
  'server-gone': ['error', ({ error }) => error],
  'server-back': ['info', () => 'the NATS server is back'],
  trouble: ['error', ({ error }) => error],
  ending: ['info', ({ jobs }) => `ends when ${jobs} jobs are done`],
  ended: ['info', () => 'has ended'],
};

/** Renewals come three times in a lease, and say nothing that `lease-lost` does not. */
const IS_NOISE: ReadonlySet<HostEventName> = new Set(['leases-renewed']);

/** @param write takes lines. @returns ends it */
export function logEvents(format: LogFormat, write: (line: string, level: string) => void): () => void {
  const isJson = format === 'json';
  const names = (Object.keys(WORDS) as HostEventName[]).filter((name) =>
    isJson ? !IS_NOISE.has(name) : WORDS[name][1] !== undefined,
  );
  return listen((name, event) => {
    const [level, words = String] = WORDS[name] as readonly [string, ((event: unknown) => string) | undefined];
    if (isJson) write(JSON.stringify({ time: new Date().toISOString(), level, event: name, ...event }), level);
    else write(name === 'ready' ? words(event) : `furcate host ${event.host}: ${words(event)}`, level);
  }, names);
}

/**
 * Has all that Node would print of this process itself written as lines: warnings, and the error that ends it.
 *
 * @param write takes lines
 */
export function logProcess(format: LogFormat, write: (line: string) => void): void {
  setEnvironmentData(LOG_FORMAT, format);
  if (format !== 'json') return;
  process.removeAllListeners('warning'); // Node's own prints text
  process.on('warning', (warning) => write(lineOf(format, 'warning', warning, 'warn')));
  process.on('uncaughtException', (error) => {
    write(lineOf(format, 'failed', error));
    process.exit(1);
  });
}
