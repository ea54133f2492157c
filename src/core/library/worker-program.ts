/**
 * What the library's own workers run: the core, and the host of their runtime.
 *
 * The build makes a function of the core, and hands it the texts of both (scripts/parts.ts). From the sources there is no such text, and
 * workers are started by `createWorker` only.
 */
import type { Host, Script, WorkerProgram } from '../platform/host.js';
import { fetchParts, type PartExports, type PartSource, providedParts, type Source } from './parts.js';

/** The texts that a copy of the library is made of, as far as every worker needs them. */
export interface LibraryScripts {
  readonly core: Script;
  /** The hosts that this copy has. Each is read when it is its turn to be asked. */
  readonly hosts: readonly Source[];
}

/** The parameter of the function that the build makes of the core. */
declare const library: LibraryScripts | undefined;

const libraryScripts = typeof library === 'undefined' ? undefined : library;

/** The host that this thread runs on, which is that of its workers, too. */
let hostScript: PartSource | undefined;

/**
 * The first of this copy's hosts that knows this thread.
 *
 * @param core the exports of the core, for the hosts
 */
export function detectHost(core: PartExports): Host | undefined {
  for (const source of libraryScripts?.hosts ?? []) {
    const script = source();
    const found = (script.make({ core }) as unknown as { detect(): Host | undefined }).detect();
    if (found === undefined) continue;
    hostScript = script;
    return found;
  }
  return undefined;
}

const needed = (): Script[] => [libraryScripts?.core as Script, hostScript as Script];

/** A part, and what makes it known to a worker. */
const withPlace = (name: string, { path, text }: Script, later: readonly string[]): Script => {
  const [quotedName, quotedPath, quotedLater] = [name, path, later].map((value) => JSON.stringify(value));
  return { path, text: `{ name: ${quotedName}, path: ${quotedPath}, later: ${quotedLater}, make: ${text} }` };
};

/** Its parameters are the values of the scripts. */
const MAIN = `(makeCore, make, ...parts) => {
  const core = makeCore({ hosts: [() => ({ make })] });
  const runtime = core.enter(core);
  for (const { name, path, later, make } of parts)
    runtime.provide(name, Object.assign(() => ({ path, make, get text() { return String(make); } }), { isAtHand: true }), later);
  runtime.core.serveWhenSpawned();
}`;

/** Undefined where the library runs from its sources. */
export const workerProgram: WorkerProgram | undefined = libraryScripts && {
  scripts: needed,
  allScripts: () => [
    ...needed(),
    ...[...providedParts()].map(([name, { source, later }]) => withPlace(name, source(), later)),
  ],
  fetchAll: fetchParts,
  main: MAIN,
};
