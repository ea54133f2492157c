/** A host whose connection has options: `node run-host.mjs OPTIONS`, the options of startHost as JSON. */
import { startHost } from 'furcate/cluster';

const host = await startHost(JSON.parse(process.argv[3]));
console.log(`furcate host ${host.name} is ready`);
