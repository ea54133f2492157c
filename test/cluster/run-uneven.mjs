/** A client that a test kills: it runs an uneven sum under a run id. */
import { connect } from 'furcate/cluster';
import { Uneven } from './tasks.mjs';

const [, , nats, folder, hosts] = process.argv;
const cluster = await connect({ nats });
await cluster.invoke(new Uneven(0, 4096, { folder, hosts: Number(hosts) }), { run: 'uneven' });
