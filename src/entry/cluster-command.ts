#!/usr/bin/env node
/** `furcate-cluster`: shows what waits and what is left of an application, and deletes it. */
import { type Cluster, connect } from 'furcate/cluster';
import {
  CONNECTION_ARGUMENTS,
  CONNECTION_USAGE,
  type CommandArguments,
  linkOf,
  parsed,
  UsageError,
} from '../cluster/operate/settings.js';
import { tableOf } from '../cluster/operate/table.js';

const USAGE = `Usage: furcate-cluster COMMAND --nats URL [options]

  hosts            the hosts that answer, and how many jobs wait and run
  jobs [RUN]       the jobs that wait or run
  runs             the runs of which the server has jobs or results
  purge RUN        cancels a run, and deletes its jobs and results
  purge --abandoned
                   the same of all runs whose client is gone and that no other can go on with

${CONNECTION_USAGE}
  --json           prints JSON`;

const ARGUMENTS = { ...CONNECTION_ARGUMENTS, json: { type: 'boolean' }, abandoned: { type: 'boolean' } } as const;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Rows that a command prints. @throws UsageError */
async function rowsOf(cluster: Cluster, words: readonly string[], given: CommandArguments): Promise<Rows> {
  const [command, run] = words;
  if (command === 'hosts') return (await cluster.stats()).hosts.map((host) => ({ ...host }));
  if (command === 'jobs') return (await cluster.jobs(run)).map((job) => ({ ...job }));
  if (command === 'runs') return (await cluster.runs()).map((entry) => ({ ...entry }));
  const abandoned = given['abandoned'] === true ? await cluster.runs() : [];
  const gone = abandoned.filter(({ hasClient }) => hasClient === false).map((entry) => entry.run);
  const purged: Record<string, unknown>[] = [];
  for (const one of [...(run === undefined ? [] : [run]), ...gone])
    purged.push({ run: one, ...(await cluster.purge(one)) });
  return purged;
}

function checkWords(words: readonly string[], given: CommandArguments): void {
  const [command, run, ...more] = words;
  const isKnown = ['hosts', 'jobs', 'runs', 'purge'].includes(command ?? '');
  if (!isKnown) throw new UsageError(`furcate: there is no command '${command ?? ''}'.`);
  if (more.length > 0) throw new UsageError(`furcate: '${command}' takes one run at most.`);
  if (command === 'purge' && run === undefined && given['abandoned'] !== true)
    throw new UsageError('furcate: purge takes the name of a run, as `runs` shows it, or --abandoned.');
}

async function main(): Promise<number> {
  const { values, words } = parsed(ARGUMENTS);
  if (values['help'] === true) {
    console.log(USAGE);
    return 0;
  }
  checkWords(words, values);
  const cluster = await connect(linkOf(values, process.env));
  try {
    const rows = await rowsOf(cluster, words, values);
    if (values['json'] === true) console.log(JSON.stringify(rows, null, 2));
    else for (const line of tableOf(rows)) console.log(line);
    if (words[0] === 'hosts' && values['json'] !== true) {
      const { queued, inFlight, results } = await cluster.stats();
      console.log(`${queued} jobs wait, ${inFlight} run; ${results.count} results are kept, ${results.bytes} bytes.`);
    }
  } finally {
    await cluster.close();
  }
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
