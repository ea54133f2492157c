/**
 * `furcate/cluster`: the same tasks on many machines, through NATS JetStream.
 *
 * An ordinary module beside the parts of the library: it uses `furcate` as a program does, and takes the wire codec from behind the door of the
 * core. Programs that do not import it pay nothing.
 *
 * @module
 */
export { type Cluster, type ClusterOptions, connect, type ItemFunction } from './client/cluster.js';
export type { ClusterCallOptions, ClusterItemsOptions } from './client/options.js';
export { type Host, type HostOptions, startHost } from './host/host.js';
export type { HostEventName, HostEvents, OfEnd, OfHost, OfJob } from './host/host-events.js';
export { type HostContext, type HostFunction, type HostFunctionName, hostFunction } from './host-function.js';
export type { JobEntry, RunEntry } from './link/inventory.js';
export type { LinkOptions } from './link/options.js';
export type { CredentialFiles, NatsServer } from './link/server.js';
export type { ClusterStats, HostStats } from './link/stats.js';
export type { StreamOptions } from './link/streams.js';
export { examineHost, type HostCheck, type HostReport } from './operate/examine.js';
export type { SplittableTask } from './split.js';
