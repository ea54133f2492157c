/**
 * Address of the server, and who connects: as programs say it, and as the NATS client takes it.
 *
 * Secrets are read from files when a connection is made, so one that has changed serves the next reconnection. No text that this module gives
 * contains one.
 */
import { readFileSync } from 'node:fs';
import type { Authenticator, NodeConnectionOptions } from '@nats-io/transport-node';
import type { Transport } from './packages.js';

/** Files with what proves who connects. They are read again at each reconnection. */
export interface CredentialFiles {
  /** A file of credentials, as `nsc generate creds` makes it: a JWT and the seed of its key. */
  readonly credsFile?: string | undefined;
  /** A file with the seed of an nkey. */
  readonly nkeyFile?: string | undefined;
  /** A file with a token. */
  readonly tokenFile?: string | undefined;
  /** A file with the password of `user`. */
  readonly passFile?: string | undefined;
}

/**
 * Address of the server, and who connects: a URL, or several of one NATS cluster, or the options of `@nats-io/transport-node`, which may name files
 * of credentials, too. A URL may have a user and a password, or a token: `nats://user:password@server:4222`.
 */
export type NatsServer = string | readonly string[] | (NodeConnectionOptions & CredentialFiles);

const FILES = ['credsFile', 'nkeyFile', 'tokenFile', 'passFile'] as const;

/** Contents of a URL: the server, and who connects. */
interface ServerAddress {
  readonly server: string;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/** All before the last `@`, whatever it is: a password may have any characters, and must not be shown as a server. */
const WITH_USER = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)@([^@]*)$/is;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a password with a '%' of its own
  }
};

function addressIn(url: string): ServerAddress {
  const [, scheme = '', who, server = ''] = WITH_USER.exec(url) ?? [];
  if (who === undefined) return { server: url };
  const at = who.indexOf(':');
  if (at < 0) return { server: scheme + server, token: decoded(who) };
  return { server: scheme + server, user: decoded(who.slice(0, at)), pass: decoded(who.slice(at + 1)) };
}

/** Checks whether a text names a server and a secret. */
export const hasSecret = (url: string): boolean => addressIn(url).server !== url;

const serversOf = (nats: NatsServer): readonly string[] => {
  const servers = typeof nats === 'object' && 'length' in nats ? nats : typeof nats === 'string' ? nats : nats.servers;
  return servers === undefined ? ['localhost:4222'] : typeof servers === 'string' ? [servers] : servers;
};

/** The servers, without secrets. */
export const shownServers = (nats: NatsServer): string =>
  serversOf(nats)
    .map((url) => addressIn(url).server)
    .join(', ');

/** Reads a file, and what it had before where it is away for a moment. @throws Error at the first time */
function reading(option: string, path: string): () => Uint8Array {
  let last: Uint8Array;
  try {
    last = readFileSync(path);
  } catch (cause) {
    throw new Error(`furcate: options.nats.${option}: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (last.length === 0) throw new Error(`furcate: options.nats.${option}: ${path} cannot be read: it is empty.`);
  return () => {
    try {
      const now = readFileSync(path);
      if (now.length > 0) last = now;
    } catch {
      // It is being replaced.
    }
    return last;
  };
}

function authenticatorOf(transport: Transport, files: CredentialFiles, user: string | undefined): Authenticator[] {
  const textIn = (read: () => Uint8Array) => () => new TextDecoder().decode(read()).trim();
  return FILES.flatMap((option): Authenticator[] => {
    const path = files[option];
    if (path === undefined) return [];
    const read = reading(option, path);
    const text = textIn(read);
    if (option === 'credsFile') return [transport.credsAuthenticator(read)];
    if (option === 'nkeyFile') return [transport.nkeyAuthenticator(() => new TextEncoder().encode(text()))];
    if (option === 'tokenFile') return [transport.tokenAuthenticator(text)];
    if (user === undefined)
      throw new TypeError('furcate: options.nats.passFile needs options.nats.user, whose password it has.');
    return [transport.usernamePasswordAuthenticator(user, text)];
  });
}

/** The options of the NATS client that a server stands for. @throws TypeError, Error naming an option whose file cannot be read */
export function connectionOptions(transport: Transport, nats: NatsServer): NodeConnectionOptions {
  const given = typeof nats === 'string' || 'length' in nats ? {} : nats;
  const { credsFile, nkeyFile, tokenFile, passFile, ...options } = given as NodeConnectionOptions & CredentialFiles;
  const addresses = serversOf(nats).map(addressIn);
  const who = addresses.find(({ user, token }) => user !== undefined || token !== undefined);
  const authenticators = authenticatorOf(
    transport,
    { credsFile, nkeyFile, tokenFile, passFile },
    options.user ?? who?.user,
  );
  const { server: _, ...named } = who ?? { server: '' };
  const { user: __, ...others } = options;
  return {
    ...named,
    ...(passFile === undefined ? options : others), // the client would add the user again, without a password
    servers: addresses.map(({ server }) => server),
    ...(authenticators.length === 0 ? {} : { authenticator: authenticators }),
  };
}
