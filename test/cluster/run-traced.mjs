/** A client whose timeline is recorded: two hosts meet in a folder, `node run-traced.mjs SERVER FOLDER`. */
import { connect } from 'furcate/cluster';
import { meet } from './tasks.mjs';

const [, , nats, folder] = process.argv;
const cluster = await connect({ nats });
await cluster.parallelMap(
  [1, 2].map(() => [folder, 2]),
  meet,
);
await cluster.close();
