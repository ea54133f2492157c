/**
 * Imports the modules of registered code that a worker lacks; runs in workers, between tasks.
 *
 * Workers pull code. A worker that finds a record whose code it lacks does not take the task; it returns to its event loop and imports
 * the module. No thread waits for that import: the thread that made the task can run it, and so can any worker that has the code, and the
 * importing worker itself looks now and then for other work. An import may take as long as the invocations that need it: their own time-outs
 * end them. If it fails or does not register the name, the tasks of that code and of the same invocation complete with a
 * `TaskRegistrationError`. For the next invocation the import is tried again. `load` itself never rejects.
 */
import { host } from '../platform/host.js';
import { IMPORT_SLICE_MS, SLOW_IMPORT_MS } from '../tuning.js';
import { explained, preloadCure, withoutUrl } from './explain-import.js';
import {
  enterWorker,
  importedProgram,
  isMainModuleSentinel,
  type Loading,
  loadings,
  mainModuleCure,
  mainModuleWarning,
} from './main-module.js';
import { canonicalUrl, fileName, isRequired, NOWHERE, placeOf } from './module-url.js';
import { isError } from './object-kind.js';
import type { Registered } from './registry.js';
import type { CodeResolver } from './resolver.js';

/**
 * Time that a bundled worker waits for its entry to register a name (milliseconds). The entry has been imported by then.
 */
const NAME_WAIT_MS = 1000;
/** Time between two looks at the registry meanwhile (milliseconds). */
const NAME_POLL_MS = 5;

/** A module that was imported, or is being imported. */
interface Imported extends Loading {
  /** The entries that the module has added to the registry. */
  readonly registered: Registered[];
  /** Imports it, or requires it. */
  readonly load: (url: string) => Promise<unknown>;
  /** The import under way. Several ids may wait for it. */
  running: Promise<ImportOutcome> | undefined;
  /** Error of its last import. */
  error: unknown;
  /** Number of times it was imported under a URL that is not its own. */
  detours: number;
}

interface ImportOutcome {
  readonly how: 'imported' | 'failed' | 'stalled' | 'timed out';
  readonly error?: unknown;
}

/** The import goes on. */
const GOES_ON: unique symbol = Symbol('furcate.goesOn');

/** Events of a loader. */
interface LoaderEvents {
  /** An import takes long, or one that did is over. */
  onSlow(url: string, isOver: boolean): void;
  /** Code could not be loaded. */
  onFailure(): void;
}

const nothing: LoaderEvents = { onSlow() {}, onFailure() {} };

export class CodeLoader {
  readonly #resolver: CodeResolver;
  /** By URL. Kept, because a module runs once only: an import for its second code tells nothing new. */
  readonly #modules = new Map<string, Imported>();
  readonly #events: LoaderEvents;
  /** Names that a bundled worker has waited for. */
  readonly #awaited = new Set<number>();
  /** URL of the module that was imported last, for the warning. */
  #latest = '';

  constructor(resolver: CodeResolver, events = nothing) {
    this.#resolver = resolver;
    this.#events = events;
    enterWorker((what) => {
      if (claimWarning(resolver, 'main module')) host().warn(mainModuleWarning(what, this.#latest));
    });
  }

  /**
   * Loads what an id needs for an invocation; never rejects. Afterwards the resolver has the code or a failure for the invocation, unless the import
   * takes long: then it goes on, and is to be asked for again.
   */
  async load(id: number, invocation: number): Promise<void> {
    const resolver = this.#resolver;
    if (!resolver.lacks(id, invocation) || resolver.recovers(id)) return;
    const { kind, url, name } = resolver.table.entry(id);
    const failure = resolver.byName ? await this.#awaitName(id, kind, name) : await this.#importFor(id, url);
    if (failure === undefined || failure === GOES_ON) return;
    this.#events.onFailure(); // before the first task completes with it
    resolver.fail(id, `furcate: a worker cannot load the ${kind} '${name}': ${failure}`, invocation);
  }

  /** Adds to an error that ends this worker why it may have come to it: the program, if that is what the worker imported, started here too. */
  explainEnd(error: unknown): unknown {
    const program = this.#modules.size > 0 ? host().mainUrl?.() : undefined;
    const url = [...this.#modules.keys()].find(
      (one) => program !== undefined && canonicalUrl(one) === canonicalUrl(program),
    );
    if (url === undefined || !isError(error) || isMainModuleSentinel(error)) return error;
    try {
      error.message = `${error.message} (${importedProgram(url)})`;
    } catch {
      // It is frozen.
    }
    return error;
  }

  /** In a bundle, the worker's entry imports the task modules. The loader imports nothing; it waits until the name is there. */
  async #awaitName(id: number, kind: string, name: string): Promise<string | undefined> {
    for (let left = this.#awaited.has(id) ? 0 : NAME_WAIT_MS; left > 0; left -= NAME_POLL_MS) {
      if (this.#resolver.recovers(id)) return undefined;
      await new Promise((resolve) => setTimeout(resolve, NAME_POLL_MS));
    }
    this.#awaited.add(id);
    return (
      `nothing that it imports registers a ${kind} of that name. A worker made by createWorker has what its entry imports: ` +
      `import the module that registers '${name}' there.`
    );
  }

  /**
   * Imports the code for an invocation, and returns the reason if that does not bring the code; undefined if it does.
   */
  async #importFor(id: number, given: string): Promise<string | typeof GOES_ON | undefined> {
    if (given === NOWHERE) return withoutUrl();
    const url = placeOf(given);
    const module: Imported = this.#modules.get(url) ?? {
      registered: [],
      refused: [],
      running: undefined,
      onStall() {},
      load: isRequired(given) ? requireOne : importOne,
      error: undefined,
      detours: 0,
    };
    this.#modules.set(url, module);
    if (module.running === undefined) {
      module.running = this.#import(url, module, () => this.#resolver.recovers(id));
      module.running.then(() => {
        module.running = undefined; // if its end is not awaited, the next invocation tries again
      });
    }
    const outcome = await within(IMPORT_SLICE_MS, module.running);
    if (outcome === undefined) return GOES_ON;
    const { how, error } = outcome;
    const isSentinel = isMainModuleSentinel(error);
    const [refused] = module.refused;
    const reached = refused === undefined ? '' : ` before it calls ${refused}, which does nothing in a worker`;
    if (how === 'failed' && reached === '' && !isSentinel) return `importing ${url} failed: ${explained(error, url)}`;
    if (how === 'timed out') return `importing ${url} took more than ${SLOW_IMPORT_MS} ms${reached}.`;
    if (this.#resolver.recovers(id) || this.#adoptMoved(id, url, module)) return undefined;
    const thrown = how === 'failed' && !isSentinel ? ` (it threw: ${explained(error, url)})` : '';
    const cure = reached === '' && !isSentinel ? '' : ` ${mainModuleCure()}.`;
    return `${url} registers nothing of that name${reached}${thrown}; ${this.#list(url, module)}.${cure}`;
  }

  /** Imports a module. If it awaits a refused call at its top level, it never finishes; then it is enough that `hasEnough`. */
  async #import(url: string, module: Imported, hasEnough: () => boolean): Promise<ImportOutcome> {
    const { entries } = this.#resolver.registry;
    const before = entries.length;
    this.#latest = url;
    loadings.add(module);
    let timers: ReturnType<typeof setInterval>[] = [];
    let isSlow = false;
    const outcome = await new Promise<ImportOutcome>((resolve) => {
      const slow = setInterval(() => {
        isSlow = true;
        this.#events.onSlow(url, false);
        clearInterval(slow);
      }, IMPORT_SLICE_MS);
      const tooSlow = setInterval(() => {
        if (module.refused.length > 0) resolve({ how: 'timed out' });
        else if (claimWarning(this.#resolver, url)) host().warn(slowImport(url));
      }, SLOW_IMPORT_MS);
      timers = [slow, tooSlow];
      module.onStall = () => hasEnough() && resolve({ how: 'stalled' });
      this.#importAgain(url, module).then(
        () => resolve({ how: 'imported' }),
        (error: unknown) => resolve({ how: 'failed', error }),
      );
    });
    timers.forEach(clearInterval);
    if (isSlow) this.#events.onSlow(url, true);
    loadings.delete(module);
    module.registered.push(...entries.slice(before));
    return outcome;
  }

  /**
   * Engines keep modules whose evaluation has thrown, and some keep those that they could not fetch: they give the same error for ever. Then the module is
   * imported by a URL that is new to them. What it imports itself is as it was: the owner of the pool replaces workers that could not load code
   * when it can.
   */
  async #importAgain(url: string, module: Imported): Promise<void> {
    try {
      await module.load(url);
    } catch (error) {
      const isKept = error === module.error && !isMainModuleSentinel(error) && module.refused.length === 0;
      module.error = error;
      if (!isKept) throw error;
      await module.load(`${url}${url.includes('?') ? '&' : '?'}furcate=${++module.detours}`);
    }
  }

  /**
   * A module may register under another URL than the URL of its import (a symbolic link, a query that a loader appends). If it has
   * added exactly one entry of the wanted kind and name, from a file of the same name, that entry stands for the id.
   */
  #adoptMoved(id: number, url: string, { registered }: Imported): boolean {
    const { kind, name } = this.#resolver.table.entry(id);
    const moved = registered.filter(
      (entry) => entry.kind === kind && entry.name === name && fileName(entry.url) === fileName(url),
    );
    if (moved.length === 1) this.#resolver.adopt(id, moved[0] as Registered);
    return moved.length === 1;
  }

  #list(url: string, { registered }: Imported): string {
    const place = canonicalUrl(url);
    const own = this.#resolver.registry.entries.filter((entry) => canonicalUrl(entry.url) === place);
    const all = new Set([...own, ...registered]);
    const names = [...all].map(({ kind, name }) => `${kind} '${name}'`);
    return names.length === 0 ? 'it registers nothing at all' : `it registers ${names.join(', ')}`;
  }
}

const importOne = (url: string): Promise<unknown> => host().importModule(url);
const requireOne = (url: string): Promise<unknown> => host().requireModule?.(url) ?? importOne(url);

/** Waits for a promise, and returns what it resolves to if it settles in time. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const slowImport = (url: string): string =>
  `furcate: a worker has been importing ${url} for ${SLOW_IMPORT_MS / 1000} s. Calls that need it wait, as long as their timeoutMs allows. ${preloadCure(url)}`;

/**
 * Claims the printing of a warning, and returns true if this thread is to print it: without room for the claim, each
 * thread prints it.
 */
function claimWarning({ table }: CodeResolver, about: string): boolean {
  try {
    return table.claimWarning(about);
  } catch {
    return true;
  }
}
