/** A module with a task that is a program, too: a host must not start the program. */
import { forkable } from 'furcate';
import { connect } from 'furcate/cluster';

export const twice = forkable(import.meta.url, 'twice', (x) => 2 * x);

const cluster = await connect({ nats: process.argv[2], app: 'program' });
console.log(`the program has ${await cluster.invoke(twice, 21)}`);
await cluster.close();
