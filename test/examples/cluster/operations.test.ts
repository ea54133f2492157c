/** The files for operators in examples/cluster: parsers read them, and the command takes the arguments that they give it. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'furcate/cluster';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { countPrimes, rangesUpTo } from '../../../examples/cluster/tasks.js';
import { natsServer } from '../../../scripts/nats-server.js';
import { freePort, Processes } from '../../cluster/processes.js';
import { ROOT } from '../../helpers/project-files.js';

const read = (name: string): string => readFileSync(join(ROOT, 'examples/cluster', name), 'utf8');
const PROGRAM = 'dist/clusterHost.js';

/** The exit code of the command with these arguments; `--help` after them, so that it reads them and starts nothing. */
async function codeOf(args: readonly string[]): Promise<number> {
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, PROGRAM), ...args, '--help']);
    return 0;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object; readonly annotations: Record<string, string> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly volumes: readonly { readonly name: string }[];
        readonly containers: readonly {
          readonly command: readonly string[];
          readonly args: readonly string[];
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly readinessProbe: Probe;
          readonly livenessProbe: Probe;
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

const argumentOf = (args: readonly string[], name: string): string =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';

test('the manifest for Kubernetes starts a host whose ports, probes and grace fit one another', async () => {
  const deployment = parse(read('kubernetes.yaml')) as Deployment;
  expect(deployment.kind).toBe('Deployment');
  const { metadata, spec } = deployment.spec.template;
  expect(metadata.labels).toEqual(deployment.spec.selector.matchLabels);
  const [worker] = spec.containers;
  if (worker === undefined) throw new Error('there is no container');
  const { args, command, ports, readinessProbe, livenessProbe, env, volumeMounts } = worker;
  expect(command).toEqual(['node', `node_modules/furcate/${PROGRAM}`]);
  expect(await codeOf(args)).toBe(0);
  const byName = Object.fromEntries(ports.map(({ name, containerPort }) => [name, `${containerPort}`]));
  expect(byName).toEqual({ metrics: argumentOf(args, 'metrics'), health: argumentOf(args, 'health') });
  expect(metadata.annotations['prometheus.io/port']).toBe(byName['metrics']);
  expect([readinessProbe.httpGet, livenessProbe.httpGet]).toEqual([
    { path: '/readyz', port: 'health' },
    { path: '/healthz', port: 'health' },
  ]);
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(argumentOf(args, 'grace')));
  expect(volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
  const creds = env.find(({ name }) => name === 'NATS_CREDS')?.value;
  expect(creds?.startsWith(`${volumeMounts[0]?.mountPath}/`)).toBe(true);
});

test('the unit for systemd starts a host with a grace that systemd waits for', async () => {
  const sections: Record<string, Record<string, string>> = {};
  let section: Record<string, string> = {};
  for (const line of read('furcate-worker.service').split('\n')) {
    const [, head] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (head !== undefined) {
      section = {};
      sections[head] = section;
    } else if (key !== undefined) section[key] = value as string;
    else expect(line).toMatch(/^(#.*)?$/);
  }
  expect(Object.keys(sections)).toEqual(['Unit', 'Service', 'Install']);
  const service = sections['Service'] ?? {};
  const [node, program, ...args] = (service['ExecStart'] ?? '').split(' ');
  expect([node, program]).toEqual(['/usr/bin/node', `node_modules/furcate/${PROGRAM}`]);
  expect(await codeOf(args)).toBe(0);
  const grace = Number(args[args.indexOf('--grace') + 1]);
  expect(Number(service['TimeoutStopSec'])).toBeGreaterThan(grace);
  const [credentials] = (service['LoadCredential'] ?? '').split(':');
  expect(service['Environment']).toBe(`NATS_CREDS=%d/${credentials}`); // the service has a user of its own, who reads no file of root
});

interface Service {
  readonly command: string | readonly string[];
  readonly depends_on?: readonly string[];
  readonly volumes: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly stop_grace_period?: string;
}
const composed = (): Record<'nats' | 'worker', Service> =>
  (parse(read('compose.yaml')) as { readonly services: Record<'nats' | 'worker', Service> }).services;
const wordsOf = ({ command }: Service): readonly string[] =>
  typeof command === 'string' ? command.trim().split(/\s+/) : command;

test('compose.yaml starts a server with JetStream, and hosts of files that are there', async () => {
  const services = composed();
  expect(services.nats.command).toContain('-js');
  expect(services.worker.depends_on).toEqual(['nats']);
  const words = wordsOf(services.worker);
  const grace = Number(words[words.indexOf('--grace') + 1]);
  expect(Number.parseInt(services.worker.stop_grace_period ?? '', 10)).toBeGreaterThan(grace);
  const [node, ...rest] = words;
  expect(node).toBe('node');
  const at = rest.indexOf(PROGRAM);
  expect(at).toBeGreaterThan(-1);
  expect(existsSync(join(ROOT, rest[at + 1] as string))).toBe(true);
  expect(await codeOf(rest.slice(at + 1))).toBe(0);
  expect(await codeOf(['--no-such-option'])).toBe(2);
});

test('the commands of compose.yaml, run as processes, serve a client, and the hosts end at SIGTERM', async () => {
  const { nats, worker } = composed();
  const processes = new Processes();
  try {
    const port = await freePort();
    const store = nats.volumes[0]?.split(':')[1] as string;
    const own = wordsOf(nats).map((word) => (word === store ? processes.newFolder() : word));
    const server = processes.start(await natsServer(), ...own, '-a', '127.0.0.1', '-p', `${port}`);
    await server.says(/Server is ready/);
    const [, ...words] = wordsOf(worker);
    const args = words.map((word) => word.replace('nats://nats:4222', `nats://127.0.0.1:${port}`));
    const hosts = Array.from({ length: worker.deploy?.replicas ?? 0 }, () => processes.startNode(...args));
    await Promise.all(hosts.map((host) => host.says(/"event":"ready"/)));
    expect(hosts).toHaveLength(2);
    const cluster = await connect({ nats: `127.0.0.1:${port}`, app: 'primes' });
    expect(await cluster.parallelMap(rangesUpTo(100, 4), countPrimes)).toHaveLength(4);
    await cluster.close();
    expect(await Promise.all(hosts.map((host) => host.end('SIGTERM')))).toEqual([0, 0]);
  } finally {
    await processes.end();
  }
});
