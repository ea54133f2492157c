/**
 * The program of the library's own workers: the core, the host of their runtime, and the codec where that host has no serializer.
 *
 * The build makes a function of the core, and hands it the texts of all three (scripts/parts.ts). From the sources there is no such text, and
 * workers are started by `createWorker` only.
 */
import type { PlatformHost, PortableCodec, Script, ValueCodec, WorkerProgram } from '../platform/host.js';
import { fetchParts, type PartExports, type PartSource, type PartSupplier, providedParts } from './parts.js';

/** The texts that a copy of the library is made of, as far as every worker needs them. */
export interface LibraryScripts {
  readonly core: Script;
  /** The hosts that this copy has. Each is read when it is its turn to be asked. */
  readonly hosts: readonly PartSupplier[];
  /** The portable codec, for hosts without a serializer. */
  readonly codec: PartSupplier;
}

/** The parameter of the function that the build makes of the core. */
declare const library: LibraryScripts | undefined;

const libraryScripts = typeof library === 'undefined' ? undefined : library;

/** The host that this thread runs on, which is that of its workers, too. */
let hostScript: PartSource | undefined;
/** The codec, if that host has asked for it. */
let codecSource: PartSupplier | undefined;

/** The exports of the part of a host. */
interface HostPart {
  detect(portableCodec: PortableCodec): PlatformHost | undefined;
}

/** The portable codec, which is read and evaluated when there is something to write or to read. */
const lazyCodec =
  (core: PartExports): PortableCodec =>
  (isProxy) => {
    const source = libraryScripts?.codec as PartSupplier;
    codecSource = source;
    let made: ValueCodec | undefined;
    const codec = (): ValueCodec => {
      made ??= (source().make({ core })['portableCodec'] as PortableCodec)(isProxy);
      return made;
    };
    return {
      serialize: (value, views) => codec().serialize(value, views),
      deserialize: (bytes, views) => codec().deserialize(bytes, views),
    };
  };

/**
 * The first of this copy's hosts that knows this thread.
 *
 * @param core the exports of the core, for the hosts
 */
export function detectHost(core: PartExports): PlatformHost | undefined {
  const portableCodec = lazyCodec(core);
  for (const source of libraryScripts?.hosts ?? []) {
    const script = source();
    const found = (script.make({ core }) as unknown as HostPart).detect(portableCodec);
    if (found === undefined) continue;
    hostScript = script;
    return found;
  }
  return undefined;
}

/** A part, and what makes it known to a worker. */
const withPlace = (name: string, { path, text }: Script, later: readonly string[] = []): Script => {
  const [quotedName, quotedPath, quotedLater] = [name, path, later].map((value) => JSON.stringify(value));
  return { path, text: `{ name: ${quotedName}, path: ${quotedPath}, later: ${quotedLater}, make: ${text} }` };
};

const CODEC = 'codec';

const needed = (): Script[] => [
  libraryScripts?.core as Script,
  hostScript as Script,
  ...(codecSource === undefined ? [] : [withPlace(CODEC, codecSource())]),
];

/** Its parameters are the values of the scripts. */
const MAIN = `(makeCore, make, ...parts) => {
  const core = makeCore({ hosts: [() => ({ make })], codec: () => parts.find(({ name }) => name === '${CODEC}') });
  const runtime = core.enter(core);
  for (const { name, path, later, make } of parts)
    runtime.provide(name, Object.assign(() => ({ path, make, get text() { return String(make); } }), { isAtHand: true }), later);
  runtime.core['serveWhenSpawned'](); // not as in worker.ts, by which web-inspect.ts tells a worker's file
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
