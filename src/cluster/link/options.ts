/** The options of programs that connect, clients and hosts, and their checks. */

import { show } from '../../core/show.js';
import { token } from './names.js';
import type { NatsServer } from './server.js';
import type { StreamOptions } from './streams.js';

/** Options on which clients and hosts of an application agree. */
export interface LinkOptions extends StreamOptions {
  /** Address of the NATS server, and who connects. */
  readonly nats: NatsServer;
  /** Programs with the same name share their hosts. Default `'default'`. */
  readonly app?: string | undefined;
  /** The version of your program. Jobs wait for hosts of their version. Default `''`. */
  readonly version?: string | undefined;
  /**
   * Time for which a host may be silent before its jobs go to others, in milliseconds. Hosts tell three times as often that they live. A lease
   * that the streams have already is raised, and never lowered. Default: what they have, else 5,000.
   */
  readonly leaseMs?: number | undefined;
  /** The JetStream domain of the streams, where the server that programs connect to is a leaf of another. */
  readonly domain?: string | undefined;
}

export const LINK_OPTIONS: readonly string[] = ['nats', 'app', 'version', 'leaseMs', 'domain', 'replicas', 'maxBytes'];

/** Characters of a name as the server counts them, which allows 255 for those of streams and consumers that hold it. */
const MOST_NAME_CHARACTERS = 200;

/** A lease: below, the clock of the server is too coarse; a host that is silent for a day is not coming back (milliseconds). */
const LEAST_LEASE_MS = 1;
const MOST_LEASE_MS = 86_400_000;

/** @throws TypeError for what has other options than these */
export function checkNames(call: string, given: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`furcate: ${call} takes an object of options; it was given ${show(given)}.`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`furcate: ${call} has no option '${unknown}'. It has: ${names.join(', ')}.`);
  return given as Record<string, unknown>;
}

/** @throws TypeError, RangeError for what cannot be the name of an application or a host */
export function checkName(what: string, name: unknown): void {
  if (name === undefined) return;
  if (typeof name !== 'string' || name === '')
    throw new TypeError(`furcate: ${what} must be a text that is not empty; it was ${show(name)}.`);
  const characters = token(name).length;
  if (characters > MOST_NAME_CHARACTERS)
    throw new RangeError(
      `furcate: ${what} must have ${MOST_NAME_CHARACTERS} characters or less, where one that is no letter, digit, '_' or '-' counts as 3 to 8; it has ${characters}.`,
    );
}

/** Checks whether this may say where servers are, if it says anything. */
function areServers(servers: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(servers) ? servers : [servers ?? 'localhost'];
  return all.length > 0 && all.every((server) => typeof server === 'string' && server !== '');
}

/** @throws TypeError for what names no run */
export function checkRun(call: string, run: unknown): asserts run is string {
  if (typeof run === 'string' && run !== '') return;
  throw new TypeError(`furcate: ${call} takes the name of a run, as cluster.runs() shows it; it was ${show(run)}.`);
}

/** @throws TypeError, RangeError naming the option */
export function checkLink(call: string, options: Record<string, unknown>): void {
  const { nats, app, version, leaseMs } = options;
  checkStreams(call, options);
  const isServer = (typeof nats === 'string' && nats !== '') || (Object(nats) === nats && !(nats instanceof URL));
  if (!isServer || !areServers(Array.isArray(nats) ? nats : (Object(nats) as { readonly servers?: unknown }).servers))
    throw new TypeError(
      `furcate: ${call}: options.nats must be the URL of the NATS server, such as 'nats://localhost:4222', or those of several, or an object of connection options, with 'servers' if not on this machine; it was ${show(nats)}.`,
    );
  checkName(`${call}: options.app`, app);
  if (version !== undefined && typeof version !== 'string')
    throw new TypeError(`furcate: ${call}: options.version must be a text; it was ${show(version)}.`);
  const isLease = typeof leaseMs === 'number' && leaseMs >= LEAST_LEASE_MS && leaseMs <= MOST_LEASE_MS;
  if (leaseMs !== undefined && !isLease)
    throw new RangeError(
      `furcate: ${call}: options.leaseMs must be a number of milliseconds from ${LEAST_LEASE_MS} to ${MOST_LEASE_MS}, a day; it was ${show(leaseMs)}.`,
    );
}

/** @throws TypeError, RangeError naming the option */
function checkStreams(call: string, { domain, replicas, maxBytes }: Record<string, unknown>): void {
  if (domain !== undefined && (typeof domain !== 'string' || !/^[A-Za-z0-9_-]+$/.test(domain)))
    throw new TypeError(
      `furcate: ${call}: options.domain must be the name of a JetStream domain, of letters, digits, '_' and '-'; it was ${show(domain)}.`,
    );
  if (replicas !== undefined && ![1, 3, 5].includes(replicas as number))
    throw new RangeError(
      `furcate: ${call}: options.replicas must be 1, 3 or 5, on how many servers the streams are; it was ${show(replicas)}.`,
    );
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && (maxBytes as number) > 0))
    throw new RangeError(
      `furcate: ${call}: options.maxBytes must be an integer from 1 up, the bytes that each stream may have; it was ${show(maxBytes)}.`,
    );
}

/** @throws RangeError */
export function checkJobTimeout(what: string, ms: unknown): void {
  if (ms === undefined || (typeof ms === 'number' && ms > 0)) return;
  throw new RangeError(`furcate: ${what} must be a number of milliseconds above 0; it was ${show(ms)}.`);
}

/** @throws TypeError, RangeError naming the option of `connect` */
export function checkClient(given: unknown): asserts given is LinkOptions {
  const options = checkNames('connect(options)', given, [...LINK_OPTIONS, 'checked', 'maxQueued']);
  checkLink('connect(options)', options);
  const { checked, maxQueued } = options;
  const isCount = Number.isSafeInteger(maxQueued) && (maxQueued as number) > 0;
  if (maxQueued !== undefined && maxQueued !== Number.POSITIVE_INFINITY && !isCount)
    throw new RangeError(
      `furcate: connect(options): options.maxQueued must be an integer from 1 up, or Infinity; it was ${show(maxQueued)}.`,
    );
  if (checked !== undefined && typeof checked !== 'boolean')
    throw new TypeError(`furcate: connect(options): options.checked must be true or false; it was ${show(checked)}.`);
}

/** Checks whether a value can be sent to another thread. */
function isData(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

const HOST_OPTIONS: readonly string[] = ['name', 'modules', 'pool', 'jobTimeoutMs', 'blockTimeoutMs'];

/** @throws TypeError, RangeError naming the option of `startHost` */
export function checkHost(given: unknown): void {
  const options = checkNames('startHost(options)', given, [...LINK_OPTIONS, ...HOST_OPTIONS]);
  checkLink('startHost(options)', options);
  const { name, modules, jobTimeoutMs, blockTimeoutMs } = options;
  checkJobTimeout('startHost(options): options.jobTimeoutMs', jobTimeoutMs);
  checkJobTimeout('startHost(options): options.blockTimeoutMs', blockTimeoutMs);
  checkName('startHost(options): options.name', name);
  if (!isData(options['nats']))
    throw new TypeError(
      'furcate: startHost(options): options.nats must be plain data, without functions, since a second thread of the host connects with it, too. Name files for what is secret: credsFile, nkeyFile, tokenFile, passFile.',
    );
  if (!Array.isArray(modules) || !modules.every((url) => typeof url === 'string'))
    throw new TypeError(
      `furcate: startHost(options): options.modules must be an array of the URLs of modules with tasks, such as [new URL('./tasks.js', import.meta.url).href]; it was ${show(modules)}.`,
    );
}

/** @throws RangeError */
export function checkGrace(ms: unknown): void {
  if (ms === undefined || (typeof ms === 'number' && ms >= 0)) return;
  throw new RangeError(
    `furcate: host.close(options): options.graceMs must be 0 milliseconds or more; it was ${show(ms)}.`,
  );
}

/** @throws TypeError for what gives no items */
export function checkItems(call: string, items: unknown): void {
  const isObject = typeof items === 'object' && items !== null;
  if (isObject && typeof (items as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function') return;
  const isLater = isObject && Symbol.asyncIterator in items;
  const cure = isLater ? ' Collect its items first: the number of jobs must be known.' : '';
  throw new TypeError(
    `furcate: ${call}: items must be an array or another iterable; it was ${isLater ? 'an asynchronous iterable' : show(items)}.${cure}`,
  );
}
