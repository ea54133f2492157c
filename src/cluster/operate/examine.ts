/** Finds out whether a host could work here: the server, JetStream, permissions, streams, versions, modules. It leaves nothing behind but the streams. */

import type { HostOptions } from '../host/host.js';
import { loadTasks } from '../host/load-tasks.js';
import { hostFunctionNames } from '../host-function.js';
import { Link } from '../link/link.js';
import { checkHost } from '../link/options.js';
import { loadPackages, type Packages } from '../link/packages.js';
import { connectionOptions, shownServers } from '../link/server.js';
import { type ClusterStats, statsOf } from '../link/stats.js';

/** The oldest server that serves: with `discard_new_per_subject`, and consumers that are updated. */
const OLDEST = [2, 10] as const;

/** One thing that a host needs, or that is good to know. */
export interface HostCheck {
  readonly name: 'packages' | 'server' | 'version' | 'JetStream' | 'streams' | 'permissions' | 'hosts' | 'modules';
  /** `'untested'` where something else is missing. */
  readonly verdict: 'yes' | 'no' | 'untested';
  /** Finding, or why there is nothing: one sentence. */
  readonly finding: string;
  /** Advice for a `'no'`. */
  readonly advice?: string | undefined;
}

/** Report of `examineHost`. */
export interface HostReport {
  /** True if a host could work here. */
  readonly ok: boolean;
  readonly checks: readonly HostCheck[];
}

type Name = HostCheck['name'];
type Found = Omit<HostCheck, 'name' | 'verdict'>;

const NAMES: readonly Name[] = [
  'packages',
  'server',
  'version',
  'JetStream',
  'streams',
  'permissions',
  'hosts',
  'modules',
];

/** Gathers checks; what fails is a `'no'`, and its error says what to do. */
class Examination {
  readonly #checks = new Map<Name, HostCheck>();

  async check<T>(name: Name, body: () => Promise<readonly [T, Found]>): Promise<T | undefined> {
    try {
      const [value, found] = await body();
      this.#checks.set(name, { name, verdict: 'yes', ...found });
      return value;
    } catch (error) {
      const text = (error instanceof Error ? error.message : String(error)).replace(/^furcate: /, '');
      this.#checks.set(name, { name, verdict: 'no', finding: text });
      return undefined;
    }
  }

  get report(): HostReport {
    const untested = (name: Name): HostCheck => ({ name, verdict: 'untested', finding: 'Something above is missing.' });
    const checks = NAMES.map((name) => this.#checks.get(name) ?? untested(name));
    return { ok: checks.every(({ verdict }) => verdict === 'yes'), checks };
  }
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

async function checkModules(modules: readonly string[]): Promise<readonly [undefined, Found]> {
  await loadTasks(modules);
  return [undefined, { finding: `${modules.length} imported; host functions: ${listed(hostFunctionNames())}.` }];
}

/** Connects, and tells of the server. */
async function checkServer({ transport }: Packages, options: HostOptions, examination: Examination): Promise<boolean> {
  const { nats } = options;
  const info = await examination.check('server', async () => {
    const connection = await transport
      .connect({ ...connectionOptions(transport, nats), name: 'furcate check' })
      .catch((cause) => {
        throw new Error(
          `furcate: ${shownServers(nats)} does not answer, or refuses the user: ${(cause as Error).message}.`,
          { cause },
        );
      });
    const { info: found } = connection;
    await connection.close();
    if (found === undefined) throw new Error('furcate: the server does not say who it is.');
    return [found, { finding: `${shownServers(nats)} answers.` }];
  });
  if (info === undefined) return false;
  await examination.check('version', async () => {
    const [major = 0, minor = 0] = info.version.split('.').map(Number);
    if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]))
      return [undefined, { finding: `nats-server ${info.version}; messages of ${info.max_payload} bytes.` }];
    throw new Error(`furcate: nats-server ${info.version} is too old. Install ${OLDEST.join('.')} or newer.`);
  });
  return true;
}

/** Does what a host does: makes the streams, listens, publishes a result and deletes it. */
async function checkUse(options: HostOptions, examination: Examination): Promise<void> {
  const link = await examination.check('JetStream', async () => {
    const opened = await Link.open(options, { name: 'furcate check' });
    const domain = options.domain === undefined ? '' : ` in the domain ${options.domain}`;
    return [opened, { finding: `It is enabled${domain}.` }];
  });
  if (link === undefined) return;
  const { manager, names } = link;
  try {
    await examination.check('streams', async () => {
      const { config, state } = await manager.streams.info(names.jobs);
      const most = config.max_bytes > 0 ? `${config.max_bytes} bytes at most` : 'any number of bytes';
      const finding = `${names.jobs} and ${names.results}: ${config.num_replicas} replicas, ${most}; a lease of ${link.leaseMs} ms; ${state.messages} jobs.`;
      return [undefined, { finding }];
    });
    await examination.check('permissions', async () => {
      for (const subject of [names.cancel('*', '*'), names.share('*', '*'), names.who])
        await link.mustHear(subject, () => {});
      await link.patiently(() => link.consumer());
      const acknowledging = `$JS.ACK.${names.jobs}.check`; // no consumer has that name
      for (const subject of [names.client(names.checkRun), names.who, acknowledging, `${link.inboxPrefix}.check`])
        await link.mustPublish(subject);
      await link.mustPublish(link.pullSubject(undefined), '{'); // what is no order takes no job
      const name = { run: names.checkRun, call: 'check', key: crypto.randomUUID() };
      await link.publish(names.result(name), new Uint8Array(), { headers: {} });
      const last_by_subj = names.result(name);
      await link.patiently(() => manager.streams.getMessage(names.results, { last_by_subj }));
      await link.patiently(() => manager.direct.getMessage(names.results, { last_by_subj }));
      await link.patiently(() => manager.streams.purge(names.results, { filter: last_by_subj }));
      return [undefined, { finding: 'This user may do what a host does.' }];
    });
    await examination.check('hosts', async () => {
      const stats: ClusterStats = await statsOf(link);
      const others = stats.hosts.filter(({ version }) => version !== names.version);
      const shown = stats.hosts.map(({ name, version }) => (version === '' ? name : `${name} (${version})`));
      const waiting = `${stats.queued} jobs wait.`;
      const unlike =
        others.length === 0 ? '' : ` ${others.length} of another version: jobs wait for hosts of their own version.`;
      return [undefined, { finding: `${listed(shown)}; ${waiting}${unlike}` }];
    });
  } finally {
    await link.close();
  }
}

/**
 * Finds out whether a host with these options could work here. It takes the options of `startHost`, and runs no job.
 *
 * @returns what was found: plain data
 * @throws TypeError, RangeError naming an option
 */
export async function examineHost(options: HostOptions): Promise<HostReport> {
  checkHost(options);
  const examination = new Examination();
  const packages = await examination.check('packages', async () => {
    return [await loadPackages(), { finding: 'The NATS client is installed.' }];
  });
  if (packages !== undefined && (await checkServer(packages, options, examination)))
    await checkUse(options, examination);
  await examination.check('modules', () => checkModules(options.modules));
  return examination.report;
}
