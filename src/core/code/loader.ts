/**
 * Imports the modules of registered code that a worker lacks; runs in workers, between tasks.
 *
 * Workers pull code. A worker that finds a record whose code it lacks does not take the task; it returns to its event loop and imports
 * the module. No thread waits for that import: the thread that made the task can run it, and so can any worker that has the code. If
 * the import fails, times out or does not register the name, the code counts as failed in the whole process, and tasks of that
 * code complete with a `TaskRegistrationError`. `load` itself never rejects.
 */
import { host } from '../platform/host.js';
import { IMPORT_TIMEOUT_MS } from '../tuning.js';
import { explained } from './explain-import.js';
import {
  enterWorker,
  importedProgram,
  isMainModuleSentinel,
  type Loading,
  loadings,
  mainModuleCure,
  mainModuleWarning,
} from './main-module.js';
import { canonicalUrl, fileName } from './module-url.js';
import { isError } from './object-kind.js';
import type { Registered } from './registry.js';
import { type CodeResolver, MISSING } from './resolver.js';

/** How long a bundled worker waits for its entry to register a name (milliseconds). The entry has been imported by then. */
const NAME_WAIT_MS = 1000;
/** Time between two looks at the registry meanwhile (milliseconds). */
const NAME_POLL_MS = 5;

/** A module that was imported, or is being imported. */
interface Imported extends Loading {
  /** The entries that the module has added to the registry. */
  readonly registered: Registered[];
  /** The import under way. Several ids may wait for it. */
  running: Promise<Outcome> | undefined;
}

interface Outcome {
  readonly how: 'imported' | 'failed' | 'stalled' | 'timed out';
  readonly error?: unknown;
}

export class CodeLoader {
  readonly #resolver: CodeResolver;
  /** By URL. Kept, because a module runs once only: an import for its second code tells nothing new. */
  readonly #modules = new Map<string, Imported>();
  /** URL of the module that was imported last, for the warning. */
  #latest = '';

  constructor(resolver: CodeResolver) {
    this.#resolver = resolver;
    enterWorker((what) => {
      if (claimWarning(resolver)) host().warn(mainModuleWarning(what, this.#latest));
    });
  }

  /** Loads what an id needs; never rejects. Afterwards `tryResolve(id)` gives the code or a failure. */
  async load(id: number): Promise<void> {
    const resolver = this.#resolver;
    if (this.#has(id)) return;
    const { kind, url, name } = resolver.table.entry(id);
    const failure = resolver.byName ? await this.#awaitName(id, kind, name) : await this.#importFor(id, url);
    if (failure !== undefined) resolver.fail(id, `furcate: a worker cannot load the ${kind} '${name}': ${failure}`);
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

  /** Whether it is known what the code is, or why there is none. */
  #has(id: number): boolean {
    return this.#resolver.tryResolve(id) !== MISSING;
  }

  /** In a bundle, the worker's entry imports the task modules. The loader imports nothing; it waits until the name is there. */
  async #awaitName(id: number, kind: string, name: string): Promise<string | undefined> {
    for (let left = NAME_WAIT_MS; left > 0; left -= NAME_POLL_MS) {
      if (this.#has(id)) return undefined;
      await new Promise((resolve) => setTimeout(resolve, NAME_POLL_MS));
    }
    return (
      `nothing that it imports registers a ${kind} of that name. A worker made by createWorker has what its entry imports: ` +
      `import the module that registers '${name}' there.`
    );
  }

  /** Why the import did not bring the code; undefined where it did. */
  async #importFor(id: number, url: string): Promise<string | undefined> {
    const module = this.#modules.get(url) ?? { registered: [], refused: [], running: undefined, onStall() {} };
    this.#modules.set(url, module);
    module.running ??= this.#import(url, module, () => this.#has(id));
    const { how, error } = await module.running;
    module.running = undefined;
    const isSentinel = isMainModuleSentinel(error);
    const [refused] = module.refused;
    const reached = refused === undefined ? '' : ` before it calls ${refused}, which does nothing in a worker`;
    if (how === 'failed' && reached === '' && !isSentinel) return `importing ${url} failed: ${explained(error, url)}`;
    if (how === 'timed out') return `importing ${url} took more than ${IMPORT_TIMEOUT_MS} ms${reached}.`;
    if (this.#has(id) || this.#adoptMoved(id, url, module)) return undefined;
    const thrown = how === 'failed' && !isSentinel ? ` (it threw: ${explained(error, url)})` : '';
    const cure = reached === '' && !isSentinel ? '' : ` ${mainModuleCure()}.`;
    return `${url} registers nothing of that name${reached}${thrown}; ${this.#list(url, module)}.${cure}`;
  }

  /** Imports a module. If it awaits a refused call at its top level, it never finishes; then it is enough that `hasEnough`. */
  async #import(url: string, module: Imported, hasEnough: () => boolean): Promise<Outcome> {
    const { entries } = this.#resolver.registry;
    const before = entries.length;
    this.#latest = url;
    loadings.add(module);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const outcome = await new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => resolve({ how: 'timed out' }), IMPORT_TIMEOUT_MS);
      module.onStall = () => hasEnough() && resolve({ how: 'stalled' });
      Promise.resolve()
        .then(() => host().importModule(url)) // here, because it may throw at once
        .then(
          () => resolve({ how: 'imported' }),
          (error: unknown) => resolve({ how: 'failed', error }),
        );
    });
    clearTimeout(timer);
    loadings.delete(module);
    module.registered.push(...entries.slice(before));
    return outcome;
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

/** Whether this thread is to print the warning: without room for the claim, each thread prints it. */
function claimWarning({ table }: CodeResolver): boolean {
  try {
    return table.claimWarning();
  } catch {
    return true;
  }
}
