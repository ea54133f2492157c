/** The program of `npm run stress:cluster`: faults of hosts and servers, some 25 s of them unless told otherwise. */
import { parseArgs } from 'node:util';
import { chaos } from './chaos.js';

const { values } = parseArgs({
  options: { faults: { type: 'string', default: '25' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const faults = Number(values.faults);
console.log(`repeat: npm run stress:cluster -- --faults ${faults} --seed ${seed}`);
const { calls, killedHosts, frozenHosts, killedServers } = await chaos({ seed, faults });
console.log(
  `${calls} calls gave what they should, while ${killedHosts} hosts were killed, ${frozenHosts} frozen, and the server was killed ${killedServers} times`,
);
