/**
 * The runtime of this thread, loaded only where there is none: what `dist/node.js` and `dist/index.cjs` have in the place
 * of `src/runtime.ts`.
 *
 * A worker has its runtime from the source that it was started with. If the user's module then brought the whole library
 * a second time, only to find that out, every worker would compile 500 KB for nothing: 10 of 55 ms to the first result.
 */
import { version } from '../core/version.js';
import type { Api } from '../runtime.js';
import { load } from './load-runtime.js';

const realm = globalThis as unknown as Record<symbol, Api | undefined>;
const KEY = Symbol.for(`furcate@${version}`);

if (realm[KEY] === undefined) load();

export const runtime = realm[KEY] as Api;
