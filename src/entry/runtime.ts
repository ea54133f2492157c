/**
 * The runtime of this realm. The core is loaded only where there is none: a worker has its runtime from the text that it was
 * started with, and would compile the core a second time only to find that out.
 */
import type { PartExports } from '../core/library/parts.js';
import type { LibraryScripts } from '../core/library/worker-program.js';
import { version } from '../core/version.js';
import type { Runtime } from './core.js';
import { codec, core, hosts } from './parts.js';

const realm = globalThis as unknown as Record<symbol, Runtime | undefined>;

function load(): Runtime {
  const source = core();
  const exports = (source.make as unknown as (library: LibraryScripts) => PartExports)({
    core: source,
    hosts: hosts as LibraryScripts['hosts'],
    codec: codec as LibraryScripts['codec'],
  });
  return (exports['enter'] as (exports: PartExports) => Runtime)(exports);
}

export type { Runtime };

export const runtime: Runtime = realm[Symbol.for(`furcate@${version}`)] ?? load();
