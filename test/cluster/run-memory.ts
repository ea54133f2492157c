/** The program of `npm run memory:cluster`: what a client and its hosts hold while they make many calls. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeHeapSnapshot } from 'node:v8';
import { connect } from 'furcate/cluster';
import { collectSomeTimes } from '../helpers/garbage.js';
import { KINDS } from './many-calls.js';
import { Processes } from './processes.js';
import * as tasks from './tasks.mjs';

const HOSTS = ['A', 'B'];
const AT_ONCE = 8;
/** Times that it looks. */
const LOOKS = 8;
const MIB = 2 ** 20;
/** How much a process may hold at the end beyond what it held half-way (MiB). */
const MOST_GROWTH_MIB = 1.5;

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '20000' }, snapshots: { type: 'string' } },
});
const calls = Number(values.calls);

const processes = new Processes();
await processes.startServer();
for (const name of HOSTS) await processes.startHost(name);
const cluster = await connect({ nats: processes.nats });

/** Heap and buffers, and the memory of the whole process with its threads (MiB). */
const shown = ({ heapUsed, external, rss }: NodeJS.MemoryUsage): readonly [number, number] => [
  (heapUsed + external) / MIB,
  rss / MIB,
];

/** @param file begins the names of heap snapshots */
async function look(file: string | undefined): Promise<readonly (readonly [number, number])[]> {
  await collectSomeTimes();
  if (file !== undefined) writeHeapSnapshot(`${file}-client.heapsnapshot`);
  const all = [shown(process.memoryUsage())];
  for (const host of HOSTS) {
    const snapshot = file === undefined ? undefined : `${file}-${host}.heapsnapshot`;
    const [used] = await cluster.parallelMap([snapshot], tasks.memory, { at: () => host });
    all.push(shown(used as NodeJS.MemoryUsage));
  }
  return all;
}

let made = 0;
async function makeCalls(upTo: number): Promise<void> {
  const makeSome = async (): Promise<void> => {
    while (made < upTo) {
      const k = made++;
      await KINDS[k % KINDS.length]?.(cluster, k);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, makeSome));
}

console.log(`calls   ${['client', ...HOSTS].map((name) => `${name}: used, resident`.padEnd(24)).join('')}`);
let halfWay: readonly (readonly [number, number])[] = [];
let last = halfWay;
for (let k = 1; k <= LOOKS; k++) {
  await makeCalls((calls * k) / LOOKS);
  last = await look(values.snapshots === undefined ? undefined : join(values.snapshots, `${k}`));
  if (k === LOOKS / 2) halfWay = last;
  const cells = last.map(([used, rss]) => `${used.toFixed(2)}, ${rss.toFixed(0)} MiB`.padEnd(24));
  console.log(`${made}`.padEnd(8) + cells.join(''));
}
const growth = last.map(([used], k) => used - (halfWay[k]?.[0] ?? 0));
console.log(`growth in the second half: ${growth.map((mib) => `${mib.toFixed(2)} MiB`).join(', ')}`);
process.exitCode = growth.every((mib) => mib < MOST_GROWTH_MIB) ? 0 : 1;
await cluster.close();
await processes.end();
