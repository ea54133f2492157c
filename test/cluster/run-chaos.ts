/** The program of `npm run stress:cluster`: faults of hosts and servers, some 25 s of them unless told otherwise. */
import { parseArgs } from 'node:util';
import { chaos } from './chaos.js';

const { values } = parseArgs({
  options: { faults: { type: 'string', default: '25' }, seed: { type: 'string' }, hosts: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const faults = Number(values.faults);
const hosts = values.hosts === undefined ? {} : { hosts: Number(values.hosts) };
console.log(`repeat: npm run stress:cluster -- --faults ${faults} --seed ${seed}`);
const report = await chaos({ seed, faults, ...hosts });
console.log(
  `${report.calls} calls gave what they should, and ${report.cancelledCalls} were cancelled, while ${report.killedHosts} hosts were killed, ${report.frozenHosts} frozen, the server was killed ${report.killedServers} times and lost its store ${report.lostStores} times, and strangers sent ${report.hostileMessages} messages. ${report.leftMessages.length} messages were left.`,
);
for (const message of report.leftMessages) console.log(message);
process.exitCode = report.leftMessages.length === 0 ? 0 : 1;
