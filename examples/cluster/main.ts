/**
 * The program of `npm run example:cluster`: counts primes on two hosts, kills one of them in the middle, and shows that nothing was lost. It starts
 * the NATS server, which it installs if need be, and the hosts. `-- --limit 100000` counts fewer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from 'furcate/cluster';
import { natsServer } from '../../scripts/nats-server.js';
import { countPrimes, rangesUpTo } from './tasks.js';

const LIMIT = 6_000_000;
const RANGES = 60;
/** How long a host may be silent before its work goes to the other (milliseconds). */
const LEASE_MS = 1000;
const APP = 'primes';

const { values } = parseArgs({ options: { limit: { type: 'string', default: String(LIMIT) } } });
const limit = Number(values.limit);
if (!Number.isInteger(limit) || limit < 1) {
  console.error('Usage: npm run example:cluster [-- --limit <number>]');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'furcate-example-'));
const started: ChildProcess[] = [];

/** Starts a program, and waits until it says that it is ready. */
async function start(program: string, args: readonly string[], ready: RegExp): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let said = '';
  const heard = (stream: ChildProcess['stdout']): Promise<void> =>
    new Promise((resolve) => {
      if (stream === null) return;
      createInterface({ input: stream }).on('line', (line) => {
        said += `${line}\n`;
        if (ready.test(line)) resolve();
      });
    });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`${program} has ended:\n${said}`);
  });
  failed.catch(() => {});
  await Promise.race([heard(child.stdout), heard(child.stderr), failed]);
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const nats = `127.0.0.1:${await freePort()}`;
const [host, port] = nats.split(':') as [string, string];

/** A host, as `npx furcate-worker` starts one. */
const startHost = (name: string): Promise<ChildProcess> => {
  const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const options = ['--nats', nats, '--app', APP, '--name', name, '--parallelism', '1'];
  const program = ['--import', 'tsx', file('../../dist/clusterHost.js'), file('tasks.ts'), ...options];
  return start(process.execPath, program, /is ready/);
};

try {
  await start(await natsServer(), ['-js', '-sd', folder, '-a', host, '-p', port], /Server is ready/);
  const cluster = await connect({ nats, app: APP, leaseMs: LEASE_MS });
  const [, second] = await Promise.all(['A', 'B'].map(startHost));
  console.log(`Hosts A and B count the primes below ${limit}, in ${RANGES} ranges.`);
  const startedMs = performance.now();
  const count = await cluster.parallelReduce(rangesUpTo(limit, RANGES), countPrimes, (left, right) => left + right, {
    onProgress(done, total) {
      if (done !== Math.floor(total / 3)) return;
      console.log(`${done} of ${total} ranges are done. Host B is killed.`);
      second?.kill('SIGKILL');
    },
  });
  const tookMs = performance.now() - startedMs;
  await cluster.close();
  console.log(`${count} primes in ${(tookMs / 1000).toFixed(1)} s.`);
  const here = rangesUpTo(limit, RANGES).reduce((sum, range) => sum + countPrimes(range), 0);
  if (count !== here) throw new Error(`this machine alone counts ${here}`);
  console.log('This process alone counts as many: nothing was lost, and nothing counted twice.');
} finally {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(started.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  rmSync(folder, { recursive: true, force: true });
}
