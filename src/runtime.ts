/**
 * One runtime per realm: the first copy of the library that is loaded is used by all that follow.
 *
 * A worker's script and the user's module each bring a copy, ES modules and CommonJS may meet, and test runners
 * evaluate modules again. Tasks, pools and shared arrays of two copies would not know each other, so later copies use
 * what the first one has put on `globalThis`. Copies of two versions cannot: that is an error.
 */
import * as own from './api.js';
import { registerHost } from './core/platform/host.js';
import { detectNode } from './core/platform/node.js';
import { version } from './core/version.js';

export type Api = typeof own;

const PREFIX = 'furcate@';
const KEY = Symbol.for(`${PREFIX}${version}`);

function adopt(): Api {
  const realm = globalThis as unknown as Record<symbol, Api | undefined>;
  const other = Object.getOwnPropertySymbols(realm).find(
    (key) => key !== KEY && Symbol.keyFor(key)?.startsWith(PREFIX) === true,
  );
  if (other !== undefined) {
    throw new Error(
      `furcate: versions ${Symbol.keyFor(other)?.slice(PREFIX.length)} and ${version} are loaded into the same thread. ` +
        'Their tasks and arrays cannot meet: make the whole program depend on one version.',
    );
  }
  const there = realm[KEY];
  if (there !== undefined) return there;
  registerHost(detectNode);
  Object.defineProperty(realm, KEY, { value: own, configurable: true });
  return own;
}

export const runtime: Api = adopt();
