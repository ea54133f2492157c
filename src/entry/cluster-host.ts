#!/usr/bin/env node
/** `npx furcate-worker`: makes this process a host of a cluster, until it is told to end; then it finishes what it has. */
import { startHost } from 'furcate/cluster';

type NatsOptions = Readonly<Record<string, unknown>>;

const USAGE = `Usage: furcate-worker MODULE... --nats URL [options]

Runs jobs of a cluster: the tasks and functions that the modules define.

  --nats URL             the NATS server
  --nats-options FILE    more options of the connection, in JSON: {"user": ..., "pass": ..., "tls": {"caFile": ...}}
  --name NAME            the name of this host in messages
  --app NAME             the application, as in connect({ app })
  --app-version VERSION  the version of your program, as in connect({ version })
  --parallelism N        threads that compute; by default as many as there are cores
  --lease MS             how long a host may be silent before its jobs go to others

SIGTERM and SIGINT end it once the jobs that it has are done.`;

function refuse(problem: string): never {
  console.error(`furcate-worker: ${problem}\n\n${USAGE}`);
  process.exit(2);
}

const { parseArgs } = process.getBuiltinModule('node:util');
const { resolve } = process.getBuiltinModule('node:path');
const { pathToFileURL } = process.getBuiltinModule('node:url');

const text = { type: 'string' } as const;

function read() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        nats: text,
        'nats-options': text,
        name: text,
        app: text,
        'app-version': text,
        parallelism: text,
        lease: text,
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

const { values, positionals } = read();
if (values.help === true) {
  console.log(USAGE);
  process.exit(0);
}
if (positionals.length === 0) refuse('name the modules that define the tasks.');
if (values.nats === undefined) refuse('--nats says where the server is.');

function numberOf(option: 'parallelism' | 'lease'): number | undefined {
  const given = values[option];
  if (given === undefined || Number(given) > 0) return given === undefined ? undefined : Number(given);
  return refuse(`--${option} takes a number above 0; it was '${given}'.`);
}

/** The options of `@nats-io/transport-node` in a file. */
function optionsIn(file: string): NatsOptions {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NatsOptions;
  } catch (error) {
    return refuse(`--nats-options must be a file of JSON: ${(error as Error).message}`);
  }
}

const { nats, 'nats-options': file } = values;

const host = await startHost({
  modules: positionals.map((path) => (/^[a-z][a-z0-9+.-]+:/i.test(path) ? path : pathToFileURL(resolve(path)).href)),
  nats: file === undefined ? nats : { ...optionsIn(file), servers: nats },
  name: values.name,
  app: values.app,
  version: values['app-version'],
  leaseMs: numberOf('lease'),
  pool: { parallelism: numberOf('parallelism') },
});
console.log(`furcate host ${host.name} is ready`);
host.ended.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

let isEnding = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (isEnding) process.exit(1);
    isEnding = true;
    void host.close().then(() => process.exit(0));
  });
}
