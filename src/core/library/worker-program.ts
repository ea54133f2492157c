/**
 * What the library's own workers run: the core, and the host of their runtime.
 *
 * The build makes a function of the core, and hands it the texts of both (scripts/parts.ts). From the sources there is no such text, and
 * workers are started by `createWorker` only.
 */
import type { Script, WorkerProgram } from '../platform/host.js';

/** The texts that a copy of the library is made of, as far as every worker needs them. */
export interface LibraryScripts {
  readonly core: Script;
  /** Node's host, which is read when it is first needed. The bundle of a browser has another in its place. */
  readonly nodeHost: () => Script & { make(parts: object): unknown };
}

/** The parameter of the function that the build makes of the core. */
declare const library: LibraryScripts | undefined;

/** Undefined where the library runs from its sources. */
export const libraryScripts = typeof library === 'undefined' ? undefined : library;

/** Undefined where the library runs from its sources. */
export const workerProgram: WorkerProgram | undefined = libraryScripts && {
  scripts: () => [libraryScripts.core, libraryScripts.nodeHost()],
  main: '(makeCore, make) => { const core = makeCore({ nodeHost: () => ({ make }) }); core.enter(core).core.serveWhenSpawned(); }',
};
