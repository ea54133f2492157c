/** A client that a test kills: it runs gated jobs under a run id, or without one where it is empty. */
import { connect } from 'furcate/cluster';
import { gated } from './tasks.mjs';

const [, , nats, app, folder, count, run = 'nightly-22'] = process.argv;
const cluster = await connect({ nats, app });
await cluster.parallelMap(
  Array.from({ length: Number(count) }, (_, k) => [folder, k]),
  gated,
  run === '' ? {} : { run },
);
