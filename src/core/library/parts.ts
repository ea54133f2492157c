/**
 * The parts of the library in this realm: the core, what all algorithms share, each family of algorithms, the kernels.
 *
 * The build makes one function of each part; called with the parts below it, it gives what it exports. A part is evaluated
 * when something of it is first used, and a worker then takes the text that the thread which started the job has published. In
 * one realm a part is evaluated once, whichever copy of the library brings it. From the sources all is one part, without a name.
 */
import { type Supplier, supplier } from '../code/supplier.js';
import { codeTable } from '../code/table.js';
import { hasHeap } from '../memory/heap.js';
import { host, type Script } from '../platform/host.js';

export type PartExports = Readonly<Record<string, unknown>>;

/** The argument of a part's function: each part below it by name, evaluated when it is read. */
export type Parts = Readonly<Record<string, PartExports>>;

/** The place of a part in a copy of the library. */
export interface PartSource extends Script {
  /** The function that the text stands for. */
  readonly make: (parts: Parts) => PartExports;
}

/** Gives a part. It reads a file for that, unless the part is at hand as a function. */
export type PartSupplier = (() => PartSource) & { readonly isAtHand?: true };

export interface Provided {
  readonly source: PartSupplier;
  /** Parts that this part may read later, while it works. */
  readonly later: readonly string[];
}

const provided = new Map<string, Provided>();

/** The parts that this copy of the library has. */
export const providedParts = (): Iterable<readonly [name: string, Provided]> => provided;

const evaluated = new Map<string, PartExports>();
/** Parts that this realm uses and has not published. */
const unpublished = new Set<string>();
/** The part that is being evaluated; empty if the whole library is one part. */
let evaluating = '';

/**
 * Says where this copy of the library has a part. The first call for a name counts.
 *
 * @param later parts that it may read while it works: they are published with it
 */
export function providePart(name: string, source: PartSupplier, later: readonly string[] = []): void {
  if (!provided.has(name)) provided.set(name, { source, later });
}

/** Imports the file of a part and provides what it exports. @param again what the file exports, if it was imported already */
export type Provide = (again?: object) => void | Promise<void>;

/** Providers of parts that a bundle leaves out of its first file, by name. */
const deferred = new Map<string, Provide>();

/** Says how this copy of the library gets a part that it has not provided. The first call for a name counts. */
export function deferPart(name: string, provide: Provide): void {
  if (!deferred.has(name)) deferred.set(name, provide);
}

/** Parts on their way. */
const fetching = new Map<string, Promise<void>>();

/** Gets a part that this copy of the library has not provided. All who wait for it go on in the order in which they came. */
function fetchPart(name: string): Promise<void> | undefined {
  const underWay = fetching.get(name);
  if (underWay !== undefined) return underWay;
  const provide = deferred.get(name);
  const begun = provide?.();
  if (provide === undefined || begun === undefined) return undefined; // it was at hand
  const fetched = begun
    .catch((cause) => fetchAgain(name, provide, cause))
    .catch((cause) => refuseFetch(name, cause))
    .finally(() => fetching.delete(name)); // a failed one is tried again by the next call
  fetching.set(name, fetched);
  return fetched;
}

/** Failures to fetch a part, counted by its name. */
const failures = new Map<string, number>();

/**
 * Some engines keep modules that they could not fetch, and fail again without asking the server. So from the second time on the file, which the error
 * of the engine names, is imported by a URL that is new to the engine.
 *
 * @throws `cause` at the first time, and where it names no URL
 */
async function fetchAgain(name: string, provide: Provide, cause: unknown): Promise<void> {
  const failed = failures.get(name) ?? 0;
  failures.set(name, failed + 1);
  const [url] = /https?:\S+/.exec(String(cause)) ?? [];
  if (failed === 0 || url === undefined) throw cause;
  await provide((await host().importModule(`${url}${url.includes('?') ? '&' : '?'}furcate=${failed}`)) as object);
}

/** Service workers may not call `import()`. */
function refuseFetch(name: string, cause: unknown): never {
  if (!('ServiceWorkerGlobalScope' in globalThis)) throw cause;
  throw new Error(
    `furcate: a service worker may not fetch the part '${name}' of the library. Import 'furcate/worker/complete' there, too: it has all parts.`,
    { cause },
  );
}

/** Fetches the parts that this copy of the library gets later; undefined if it has all. */
export function fetchParts(): Promise<unknown> | undefined {
  const fetched = [...deferred.keys()].filter((name) => !provided.has(name)).map(fetchPart);
  return fetched.length === 0 ? undefined : Promise.all(fetched);
}

/** Calls `use` with the exports of a part: at once, unless the part has to be fetched first. */
export function withPart<R>(name: string, use: (exports: PartExports) => Promise<R>): Promise<R> {
  const isHere = evaluated.has(name) || provided.has(name) || publishedText(name) !== undefined;
  const fetched = isHere ? undefined : fetchPart(name);
  return fetched === undefined ? use(part(name)) : fetched.then(() => use(part(name)));
}

/** True if this copy of the library has a part: the bundle of a program may lack it. */
export const hasPart = (name: string): boolean => provided.has(name);

/** True if this copy of the library has a part, or can get it. */
export const isGettable = (name: string): boolean => provided.has(name) || deferred.has(name);

/** The exports of a part, which is evaluated at the first call. */
export function part(name: string): PartExports {
  return evaluated.get(name) ?? evaluate(name);
}

const parts: Parts = new Proxy({}, { get: (_, name) => part(name as string) });

/** Enters a part that has been evaluated already: the core, and others where the whole library is one part. */
export function enterPart(name: string, exports: PartExports): void {
  evaluated.set(name, exports);
}

function evaluate(name: string): PartExports {
  const outer = evaluating;
  evaluating = name;
  try {
    const exports = makerOf(name)(parts);
    evaluated.set(name, exports);
    return exports;
  } finally {
    evaluating = outer;
  }
}

/** The function of a part. It is looked for on the heap first where that saves reading a file. */
function makerOf(name: string): PartSource['make'] {
  const found = provided.get(name);
  const published = found?.source.isAtHand === true ? undefined : publishedText(name);
  if (published !== undefined) {
    const end = published.indexOf(END_OF_PATH);
    return host().evaluate(published.slice(end + 1), published.slice(0, end)) as PartSource['make'];
  }
  if (found === undefined) throw new Error(`furcate: the part '${name}' of the library is not on this thread.`);
  for (const used of [name, ...found.later]) unpublished.add(used);
  return found.source().make;
}

/** To look for it makes no entry, so a part can be evaluated while the heap is full. */
function publishedText(name: string): string | undefined {
  const entry = hasHeap() ? codeTable().find('part', name, '') : undefined;
  return entry === undefined ? undefined : codeTable().noteOf(entry);
}

/** No path has this letter. */
const END_OF_PATH = '\0';

/**
 * Publishes the parts that this realm has evaluated: each is an entry of the code table, whose note is the path and the text.
 * To be called before the first task that needs them can be seen by others.
 *
 * @throws RangeError when the heap is full; the next call publishes the parts that are left
 */
export function publishParts(): void {
  if (unpublished.size === 0) return;
  for (const name of unpublished) {
    publish(name);
    unpublished.delete(name); // last: the heap may be full
  }
}

function publish(name: string): void {
  if (publishedText(name) !== undefined) return;
  const { path, text } = (provided.get(name) as Provided).source();
  codeTable().annotate(codeTable().idOf('part', name, ''), path + END_OF_PATH + text);
}

const published = new Set<string>();

/** Publishes a part for workers, which this realm need not evaluate. Does nothing where the whole library is one part. */
export function publishPart(name: string): void {
  if (published.has(name) || !provided.has(name)) return;
  publish(name);
  published.add(name); // last: the heap may be full
}

// The origin of the library's code is the part that registers it.
Object.assign<Supplier, Supplier>(supplier, {
  origin: () => evaluating,
  supply: (name) => void (name && part(name)),
  share: publishParts,
});
