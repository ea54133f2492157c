/**
 * The core as a part: tasks, pools and memory, and the runtime that the copies of the library in a realm share.
 *
 * There is one runtime a realm: the first copy of the library that is loaded is used by all that follow. A worker's script and
 * the user's module each bring a copy, ES modules and CommonJS may meet, and test runners evaluate modules again. Tasks, pools
 * and shared arrays of two copies would not know each other, so later copies use what the first one has put on `globalThis`, and
 * add the parts that they have. Copies of two versions cannot: that is an error.
 */

import type * as publicCore from '../core/index.js';
import {
  deferPart,
  enterPart,
  type PartExports,
  type PartSupplier,
  type Provide,
  part,
  providePart,
} from '../core/library/parts.js';
import { detectHost } from '../core/library/worker-program.js';
import { registerHost } from '../core/platform/host.js';
import { version } from '../core/version.js';

export * from '../core/index.js';
export { serveWhenSpawned } from '../core/worker/serve.js';

type PublicFunction = (...args: never[]) => unknown;

/** State that the copies of the library in a realm share. */
export interface Runtime {
  readonly core: typeof publicCore & { serveWhenSpawned(): void };
  /** Says where a part can be loaded from, unless that is known. */
  provide(part: string, source: PartSupplier, later?: readonly string[]): void;
  /** Says how a part is got that is not provided yet, unless that is known. */
  defer(part: string, provide: Provide): void;
  /** A public function of a family, which loads the family when it is first called. */
  algorithm(family: string, name: string): PublicFunction;
  /** All that a part exports, which is evaluated at once. */
  exportsOf(part: string): PartExports;
}

const PREFIX = 'furcate@';
const KEY = Symbol.for(`${PREFIX}${version}`);

const algorithms = new Map<string, PublicFunction>();

/** Bundlers rename classes and functions. Errors and stack traces must show the documented names. */
function keepName<Value>(value: Value, name: string): Value {
  if (typeof value === 'function' && value.name !== name)
    Object.defineProperty(value, 'name', { value: name, configurable: true });
  return value;
}

function algorithm(family: string, name: string): PublicFunction {
  const known = algorithms.get(name);
  if (known !== undefined) return known;
  let own: PublicFunction | undefined;
  const found: PublicFunction = (...args) => {
    own ??= keepName(part(family)[name] as PublicFunction, name);
    return own(...args);
  };
  algorithms.set(name, keepName(found, name));
  return found;
}

function exportsOf(name: string): PartExports {
  const exports = part(name);
  keepNames(exports);
  return exports;
}

function keepNames(exports: PartExports): void {
  for (const [name, value] of Object.entries(exports)) if (!name.startsWith('$')) keepName(value, name); // the others are for parts
}

/**
 * Makes this copy the runtime of the realm.
 *
 * @param exports of this part, for the parts above it
 * @throws Error when the realm has a runtime of another version
 */
export function enter(exports: PartExports): Runtime {
  const realm = globalThis as unknown as Record<symbol, Runtime | undefined>;
  const other = Object.getOwnPropertySymbols(realm).find(
    (key) => key !== KEY && Symbol.keyFor(key)?.startsWith(PREFIX) === true,
  );
  if (other !== undefined) {
    throw new Error(
      `furcate: versions ${Symbol.keyFor(other)?.slice(PREFIX.length)} and ${version} are loaded into the same thread. ` +
        'Their tasks and arrays cannot meet: make the whole program depend on one version.',
    );
  }
  enterPart('core', exports);
  registerHost(() => detectHost(exports));
  keepNames(exports);
  const runtime: Runtime = {
    core: exports as unknown as Runtime['core'],
    provide: providePart,
    defer: deferPart,
    algorithm,
    exportsOf,
  };
  Object.defineProperty(realm, KEY, { value: runtime, configurable: true });
  return runtime;
}
