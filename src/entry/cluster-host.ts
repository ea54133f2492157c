#!/usr/bin/env node
/** `furcate-worker`: makes this process a host of a cluster, until it is told to end; then it finishes what it has. */
import type { Server } from 'node:http';
import { examineHost, type Host, type HostOptions, startHost } from 'furcate/cluster';
import { watchHealth } from '../cluster/operate/health.js';
import { json, type Routes, serve } from '../cluster/operate/http.js';
import { onLauncherEnd } from '../cluster/operate/launcher.js';
import { type LogFormat, lineOf, logEvents } from '../cluster/operate/log.js';
import { countEvents } from '../cluster/operate/metrics.js';
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
  replicas: text,
  'max-bytes': text,
  log: text,
  metrics: text,
  health: text,
  grace: text,
  check: { type: 'boolean' },
} as const;

function refuse(problem: string): never {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

/** @throws UsageError for what is wrong */
function readArguments() {
  const { values, words } = parsed(ARGUMENTS);
  if (values['help'] === true) return undefined;
  const log = textOf(values, 'log') ?? 'text';
  if (log !== 'text' && log !== 'json') throw new UsageError(`furcate: --log takes text or json; it was '${log}'.`);
  const jobTimeout = numberOf(values, 'job-timeout', 'a number of seconds above 0');
  const grace = numberOf(values, 'grace', 'a number of seconds, 0 or more', (seconds) => seconds >= 0);
  const options: HostOptions = {
    ...linkOf(values, process.env),
    modules: modulesOf(words),
    name: textOf(values, 'name'),
    leaseMs: numberOf(values, 'lease'),
    jobTimeoutMs: jobTimeout === undefined ? undefined : jobTimeout * 1000,
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
  const { ok, checks } = await examineHost(options);
  const hasColours = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  console.log(checks.flatMap((check) => rowsOf(check.name, check, hasColours)).join('\n'));
  console.log(`\n${ok ? 'All is well.' : 'A host cannot work here.'}`);
  process.exit(ok ? 0 : 1);
}
let host: Host | undefined;

/** Opens the ports for probes and Prometheus; both may be the same. */
async function openPorts(): Promise<readonly Server[]> {
  const read = watchHealth();
  const probes: Routes = {
    '/healthz': () => json(200, read()),
    '/readyz': () => json(read().state === 'ready' ? 200 : 503, read()),
  };
  const { hostname } = process.getBuiltinModule('node:os');
  const of = { app: options.app ?? 'default', host: options.name ?? hostname() };
  const counted = metrics === undefined ? undefined : await countEvents(of, () => host?.stats());
  const exposed: Routes =
    counted === undefined
      ? {}
      : { '/metrics': async () => ({ status: 200, type: counted.contentType, text: await counted.text() }) };
  if (metrics !== undefined && metrics.port === health?.port)
    return [await serve('--metrics', metrics, { ...exposed, ...probes })];
  return Promise.all([
    ...(metrics === undefined ? [] : [serve('--metrics', metrics, exposed)]),
    ...(health === undefined ? [] : [serve('--health', health, probes)]),
  ]);
}

logEvents(log, (line) => console.log(line));

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
  await openPorts();
  host = await startHost(options);
  await host.ended; // rejects with what has ended it before it was told to
} catch (error) {
  console.error(lineOf(log, 'failed', error));
  process.exit(1);
}
