/** A client that a test kills: it runs gated jobs under a run id. */
import { connect } from 'furcate/cluster';
import { gated } from './tasks.mjs';

const [, , nats, app, folder, count] = process.argv;
const cluster = await connect({ nats, app });
await cluster.parallelMap(
  Array.from({ length: Number(count) }, (_, k) => [folder, k]),
  gated,
  { run: 'nightly-22' },
);
