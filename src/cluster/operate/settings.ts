/**
 * Settings of the commands of a cluster: from arguments, the environment, and files. Secrets come from files and the environment only, since every
 * user of a machine can read the arguments of its programs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { hasSecret, type NatsServer } from '../link/server.js';

type Environment = Readonly<Record<string, string | undefined>>;
/** Arguments by their names, as `parseArgs` gives them. */
export type CommandArguments = Readonly<Record<string, string | boolean | undefined>>;

const text = { type: 'string' } as const;

/** Arguments of each command. */
export const CONNECTION_ARGUMENTS = {
  nats: text,
  'nats-options': text,
  creds: text,
  nkey: text,
  'token-file': text,
  app: text,
  'app-version': text,
  domain: text,
  help: { type: 'boolean', short: 'h' },
} as const;

export const CONNECTION_USAGE = `  --nats URL[,URL...]    the NATS server, or several of one cluster; else NATS_URL
  --nats-options FILE    more options of the connection, in JSON: {"user": ..., "passFile": ..., "tls": {"caFile": ...}}
  --creds FILE           a file of credentials (JWT and seed); else NATS_CREDS
  --nkey FILE            a file with the seed of an nkey; else NATS_NKEY
  --token-file FILE      a file with a token; else the token is NATS_TOKEN
                         NATS_USER and NATS_PASSWORD are a user and a password
  --app NAME             the application, as in connect({ app })
  --app-version VERSION  the version of your program, as in connect({ version })
  --domain NAME          the JetStream domain of the streams`;

/** A mistake of whoever has called the command; its message has no more than one line. */
export class UsageError extends Error {}

/** The arguments of this process. @throws UsageError for those that a command does not have */
export function parsed(options: ParseArgsConfig['options']): {
  readonly values: CommandArguments;
  readonly words: readonly string[];
} {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      ...(options === undefined ? {} : { options }),
    });
    return { values: values as CommandArguments, words: positionals };
  } catch (error) {
    throw new UsageError(`furcate: ${(error as Error).message}`);
  }
}

/** A text among the arguments. */
export function textOf(given: CommandArguments, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/** A number among the arguments. @param needed says which it may be */
export function numberOf(
  given: CommandArguments,
  name: string,
  needed = 'a number above 0',
  isRight: (value: number) => boolean = (value) => value > 0,
): number | undefined {
  const value = textOf(given, name);
  if (value === undefined) return undefined;
  if (value.trim() !== '' && isRight(Number(value))) return Number(value);
  throw new UsageError(`furcate: --${name} takes ${needed}; it was '${value}'.`);
}

function optionsIn(file: string): Record<string, unknown> {
  try {
    const options: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof options === 'object' && options !== null) return options as Record<string, unknown>;
  } catch (error) {
    // The text of the file stays out of the message: it may have a password.
    const { code } = error as { readonly code?: string };
    throw new UsageError(
      `furcate: --nats-options must be a file of JSON; ${file} is ${code === undefined ? 'none' : `not readable (${code})`}.`,
    );
  }
  throw new UsageError(`furcate: --nats-options must be a file with an object in JSON; ${file} has another value.`);
}

/** Address of the server, and who connects. @throws UsageError */
export function serverOf(given: CommandArguments, environment: Environment): NatsServer {
  const file = textOf(given, 'nats-options');
  const options = file === undefined ? {} : optionsIn(file);
  const named = textOf(given, 'nats');
  if (named?.split(',').some(hasSecret) === true)
    throw new UsageError(
      'furcate: --nats has a user and a password, or a token, which every user of this machine can read among the arguments. Put the URL into NATS_URL, or name a file: --creds, --nkey, --token-file, --nats-options.',
    );
  const servers = named ?? environment['NATS_URL'];
  if (servers === undefined && options['servers'] === undefined)
    throw new UsageError('furcate: --nats or NATS_URL says where the server is.');
  const who = {
    credsFile: textOf(given, 'creds') ?? environment['NATS_CREDS'],
    nkeyFile: textOf(given, 'nkey') ?? environment['NATS_NKEY'],
    tokenFile: textOf(given, 'token-file'),
    token: environment['NATS_TOKEN'],
    user: environment['NATS_USER'],
    pass: environment['NATS_PASSWORD'],
  };
  const known = Object.fromEntries(Object.entries(who).filter(([, value]) => value !== undefined && value !== ''));
  return { ...known, ...options, ...(servers === undefined ? {} : { servers: servers.split(',') }) };
}

/** The URLs of modules among the arguments. @throws UsageError for a file that is not there */
export function modulesOf(paths: readonly string[]): string[] {
  if (paths.length === 0) throw new UsageError('furcate: name the modules that define the tasks.');
  return paths.map((path) => {
    if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return path;
    const file = resolve(path);
    if (existsSync(file)) return pathToFileURL(file).href;
    const stem = basename(file, extname(file));
    const folder = dirname(file);
    const similar = existsSync(folder)
      ? readdirSync(folder).filter((name) => basename(name, extname(name)) === stem)
      : [];
    const cure =
      similar.length === 0 ? '' : ` There is ${similar.map((name) => join(dirname(path), name)).join(', ')}.`;
    throw new UsageError(`furcate: there is no module ${path}.${cure}`);
  });
}

/** Options with which both kinds of programs connect. @throws UsageError */
export const linkOf = (given: CommandArguments, environment: Environment) => ({
  nats: serverOf(given, environment),
  app: textOf(given, 'app'),
  version: textOf(given, 'app-version'),
  domain: textOf(given, 'domain'),
});

/** A port, and where it is open. */
export interface Address {
  readonly port: number;
  /** Undefined for all interfaces. */
  readonly host: string | undefined;
}

/** `PORT` or `ADDRESS:PORT` among the arguments. @throws UsageError */
export function addressOf(given: CommandArguments, name: string): Address | undefined {
  const value = textOf(given, name);
  if (value === undefined) return undefined;
  const [, host, digits = ''] = /^(?:(.+):)?(\d+)$/.exec(value) ?? [];
  const port = Number(digits);
  if (digits !== '' && port < 65_536) return { port, host };
  throw new UsageError(`furcate: --${name} takes a port, or ADDRESS:PORT; it was '${value}'.`);
}
