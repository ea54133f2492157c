#!/usr/bin/env node
/** `furcate-worker`: makes this process a host of a cluster, until it is told to end; then it finishes what it has. */
import { examineHost, type Host, type HostOptions, startHost } from 'furcate/cluster';
import { type LogFormat, lineOf } from '../cluster/host/line.js';
import { BLOCK_TIMEOUT_MS } from '../cluster/host/pulse.js';
import { watchHealth } from '../cluster/operate/health.js';
import { onLauncherEnd } from '../cluster/operate/launcher.js';
import { logEvents, logProcess } from '../cluster/operate/log.js';
import { countEvents } from '../cluster/operate/metrics.js';
import { openPorts, type Routes } from '../cluster/operate/ports.js';
import type { Port } from '../cluster/operate/ports-thread.js';
import {
  addressOf,
  CONNECTION_ARGUMENTS,
  CONNECTION_USAGE,
  linkOf,
  modulesOf,
  numberOf,
  parsed,
  textOf,
  UsageError,
} from '../cluster/operate/settings.js';
import { rowsOf } from '../doctor/screen.js';

const USAGE = `Usage: furcate-worker MODULE... --nats URL [options]

Runs jobs of a cluster: the tasks and functions that the modules define.

${CONNECTION_USAGE}

  --name NAME            the name of this host in messages
  --parallelism N        threads that compute; by default as many as there are cores
  --lease MS             how long a host may be silent before its jobs go to others
  --job-timeout SECONDS  how long a job may run; one that takes longer fails
  --block-timeout SECONDS
                         how long jobs may block the main thread before the host ends; by default 600
  --replicas N           on how many servers the streams are: 1, 3 or 5
  --max-bytes N          the bytes that each stream may have

  --log text|json        what is told on stdout: by default text
  --metrics [HOST:]PORT  serves metrics for Prometheus at /metrics; needs prom-client
  --health [HOST:]PORT   serves /healthz and /readyz for probes
  --check                says whether a host with these options could work here, and starts none
  --grace SECONDS        how long jobs may run on when the host is told to end, before they go to others; by default
                         for as long as they take

SIGTERM and SIGINT end it once the jobs that it has are done; a second one ends it at once.`;

const text = { type: 'string' } as const;
const ARGUMENTS = {
  ...CONNECTION_ARGUMENTS,
  name: text,
  parallelism: text,
  lease: text,
  'job-timeout': text,
  'block-timeout': text,
  replicas: text,
  'max-bytes': text,
  log: text,
  metrics: text,
  health: text,
  grace: text,
  check: { type: 'boolean' },
} as const;

/** The log may have to be JSON although the arguments cannot be read. */
function refuse(problem: string): never {
  const isJson = /(^| )--log[= ]json( |$)/.test(process.argv.join(' '));
  console.error(isJson ? lineOf('json', 'failed', problem) : `${problem}\n\n${USAGE}`);
  process.exit(2);
}

/** @throws UsageError for what is wrong */
function readArguments() {
  const { values, words } = parsed(ARGUMENTS);
  if (values['help'] === true) return undefined;
  const log = textOf(values, 'log') ?? 'text';
  if (log !== 'text' && log !== 'json') throw new UsageError(`furcate: --log takes text or json; it was '${log}'.`);
  const jobTimeout = numberOf(values, 'job-timeout', 'a number of seconds above 0');
  const blockTimeout = numberOf(values, 'block-timeout', 'a number of seconds above 0');
  const grace = numberOf(values, 'grace', 'a number of seconds, 0 or more', (seconds) => seconds >= 0);
  const options: HostOptions = {
    ...linkOf(values, process.env),
    modules: modulesOf(words),
    name: textOf(values, 'name'),
    leaseMs: numberOf(values, 'lease'),
    jobTimeoutMs: jobTimeout === undefined ? undefined : jobTimeout * 1000,
    blockTimeoutMs: blockTimeout === undefined ? undefined : blockTimeout * 1000,
    replicas: numberOf(values, 'replicas'),
    maxBytes: numberOf(values, 'max-bytes'),
    pool: { parallelism: numberOf(values, 'parallelism') },
  };
  return {
    options,
    log: log as LogFormat,
    metrics: addressOf(values, 'metrics'),
    health: addressOf(values, 'health'),
    isCheck: values['check'] === true,
    graceMs: grace === undefined ? undefined : grace * 1000,
  };
}

const settings = (() => {
  try {
    return readArguments();
  } catch (error) {
    if (error instanceof UsageError) return refuse(error.message);
    throw error;
  }
})();
if (settings === undefined) {
  console.log(USAGE);
  process.exit(0);
}

const { options, log, metrics, health, graceMs, isCheck } = settings;
if (isCheck) {
  const { ok, checks } = await examineHost(options).catch((error: unknown) => refuse((error as Error).message));
  const hasColours = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  console.log(checks.flatMap((check) => rowsOf(check.name, check, hasColours)).join('\n'));
  console.log(`\n${ok ? 'All is well.' : 'A host cannot work here.'}`);
  process.exit(ok ? 0 : 1);
}
let host: Host | undefined;

/** Opens the ports for probes and Prometheus; both may be the same. */
async function serve(): Promise<void> {
  if (metrics === undefined && health === undefined) return; // nobody follows the events of jobs
  const { hostname } = process.getBuiltinModule('node:os');
  const { app = 'default', name = `${hostname()}-${process.pid}`, blockTimeoutMs = BLOCK_TIMEOUT_MS } = options;
  const of = { app, host: options.name ?? hostname() }; // a name that lasts
  const counted = metrics === undefined ? undefined : await countEvents(of, () => host?.stats());
  const routes: Routes =
    counted === undefined
      ? {}
      : { '/metrics': async () => ({ status: 200, type: counted.contentType, text: await counted.text() }) };
  const asked = Object.keys(routes);
  const isShared = metrics?.port === health?.port;
  const ports: Port[] = [];
  if (metrics !== undefined) ports.push({ option: '--metrics', address: metrics, hasProbes: isShared, asked });
  if (health !== undefined && !isShared)
    ports.push({ option: '--health', address: health, hasProbes: true, asked: [] });
  const words = watchHealth();
  await openPorts({ ports, host: name, words, blockTimeoutMs }, routes);
}

const write = (line: string): void => console.log(line);
logProcess(log, write);
logEvents(log, write);

let isEnding = false;
async function end(): Promise<void> {
  if (host === undefined) process.exit(0); // it has nothing yet
  if (isEnding) {
    await host.close({ graceMs: 0 }); // others need not wait for the lease
    process.exit(1);
  }
  isEnding = true;
  await host.close({ graceMs });
  process.exit(0);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
onLauncherEnd(process.env, () => void end());

try {
  await serve();
  host = await startHost(options);
  await host.ended; // rejects with what has ended it before it was told to
} catch (error) {
  console.error(lineOf(log, 'failed', error));
  process.exit(1);
}
