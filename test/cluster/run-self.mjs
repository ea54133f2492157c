/** A program that defines tasks and makes itself a host of them: `node run-self.mjs SERVER [early]`; early, before it has defined any. */
import { forkable } from 'furcate';
import { startHost } from 'furcate/cluster';

const [, , nats, isEarly] = process.argv;
const start = () => startHost({ nats, name: 'self', modules: [import.meta.url], pool: { parallelism: 1 } });
if (isEarly !== undefined) await start();
export const twice = forkable(import.meta.url, 'twice', (x) => 2 * x);
await start();
console.log('furcate host self is ready');
