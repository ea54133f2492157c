/**
 * Imports the modules of registered code that a worker lacks; runs in workers, between tasks.
 *
 * Pull, not push: a worker that meets a record whose code it has not leaves the task alone, returns to its event loop
 * and loads. Nobody waits for it: the task's maker can run it, and so can any worker that has the code. An import that
 * fails, times out or registers nothing of the name marks the code failed for the process, and its tasks complete with a
 * `TaskRegistrationError`. `load` itself never rejects.
 */
import { IMPORT_TIMEOUT_MS } from '../tuning.js';
import { beginLoading, enterWorker, isMainModuleSentinel, mainModuleWarning } from './main-module.js';
import type { Registered } from './registry.js';
import { type CodeResolver, MISSING } from './resolver.js';

export interface LoaderOptions {
  /** How this platform imports a module, ES or CommonJS, by URL. */
  importModule(url: string): Promise<unknown>;
  warn(message: string): void;
  /** How long an import may take (milliseconds). Default `IMPORT_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
}

/** How long a bundled worker waits for its entry to register a name (milliseconds): it has been imported already. */
const NAME_WAIT_MS = 1000;

/** How an import ended, and what it did on the way. */
interface Outcome {
  readonly how: 'imported' | 'failed' | 'stalled' | 'timed out';
  readonly error?: unknown;
  /** Calls of the module's that a worker refuses. */
  readonly refused: readonly string[];
}

interface Effects {
  /** Registered under new keys. */
  readonly registered: readonly Registered[];
  readonly refused: readonly string[];
}

const NO_EFFECTS: Effects = { registered: [], refused: [] };

export class CodeLoader {
  readonly #resolver: CodeResolver;
  readonly #options: LoaderOptions;
  readonly #timeoutMs: number;
  readonly #loads = new Map<number, Promise<void>>();
  /** One import a URL at a time; several ids may wait for it. */
  readonly #imports = new Map<string, Promise<Outcome>>();
  /** What importing a URL did the first time: for the second code of a module it is imported already. */
  readonly #effects = new Map<string, Effects>();
  /** The module that was imported last, for the warning. */
  #latest = '';

  constructor(resolver: CodeResolver, options: LoaderOptions) {
    this.#resolver = resolver;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? IMPORT_TIMEOUT_MS;
    enterWorker((what) => this.#warnOnce(what));
  }

  /** Loads what an id needs; never rejects. Afterwards `tryResolve(id)` gives the code or a failure. */
  load(id: number): Promise<void> {
    let load = this.#loads.get(id);
    if (load === undefined) {
      load = this.#load(id).finally(() => this.#loads.delete(id));
      this.#loads.set(id, load);
    }
    return load;
  }

  async #load(id: number): Promise<void> {
    const resolver = this.#resolver;
    if (resolver.tryResolve(id) !== MISSING) return;
    const { kind, url, name } = resolver.table.entry(id);
    const failure = resolver.byName ? await this.#awaitName(id, kind, name) : await this.#importFor(id, url);
    if (failure !== undefined) resolver.fail(id, `furcate: a worker cannot load the ${kind} '${name}': ${failure}`);
  }

  /** In a bundle, the worker's entry imports the task modules: there is nothing to import, only to wait for. */
  async #awaitName(id: number, kind: string, name: string): Promise<string | undefined> {
    const registered = new Promise<void>((resolve) => {
      const timer = setTimeout(done, Math.min(this.#timeoutMs, NAME_WAIT_MS));
      const forget = this.#resolver.registry.onRegister(() => {
        if (this.#resolver.tryResolve(id) !== MISSING) done();
      });
      function done(): void {
        clearTimeout(timer);
        forget();
        resolve();
      }
    });
    await registered;
    if (this.#resolver.tryResolve(id) !== MISSING) return undefined;
    return (
      `nothing that it imports registers a ${kind} of that name. A worker made by createWorker has what its entry imports: ` +
      `import the module that registers '${name}' there.`
    );
  }

  /** Why the import did not bring the code; undefined where it did. */
  async #importFor(id: number, url: string): Promise<string | undefined> {
    let running = this.#imports.get(url);
    if (running === undefined) {
      running = this.#import(url, () => this.#resolver.tryResolve(id) !== MISSING);
      this.#imports.set(url, running);
      running.finally(() => this.#imports.delete(url));
    }
    const { how, error, refused } = await running;
    const bySentinel = how === 'failed' && (refused.length > 0 || isMainModuleSentinel(error));
    if (how === 'failed' && !bySentinel) return `importing ${url} failed: ${explained(error, url)}`;
    if (how === 'timed out') return `importing ${url} took more than ${this.#timeoutMs} ms${endedAt(refused)}.`;
    if (this.#resolver.tryResolve(id) !== MISSING || this.#adoptMoved(id, url)) return undefined;
    const whole = bySentinel && !isMainModuleSentinel(error) ? ` (it threw: ${explained(error, url)})` : '';
    return `${url} registers nothing of that name${endedAt(refused)}${whole}; ${this.#list(url)}.`;
  }

  /** Imports a module; `hasEnough` says whether it has registered what is wanted, should it never finish. */
  async #import(url: string, hasEnough: () => boolean): Promise<Outcome> {
    const { registry } = this.#resolver;
    const before = registry.size;
    const loading = beginLoading(hasEnough);
    this.#latest = url;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let outcome: Omit<Outcome, 'refused'>;
    try {
      const late = new Promise<'timed out'>((resolve) => {
        timer = setTimeout(() => resolve('timed out'), this.#timeoutMs);
      });
      const imported = this.#options.importModule(url).then(() => 'imported' as const);
      const how = await Promise.race([imported, late, loading.stalled]);
      outcome = { how };
    } catch (error) {
      outcome = { how: 'failed', error };
    }
    clearTimeout(timer);
    const { registered, refused } = this.#effects.get(url) ?? NO_EFFECTS;
    const effects = {
      registered: [...registered, ...registry.since(before)],
      refused: [...refused, ...loading.end()],
    };
    this.#effects.set(url, effects);
    return { ...outcome, refused: effects.refused };
  }

  /**
   * A module may know itself by another URL than the one it was imported by (a symbolic link, a loader that appends a
   * query): one new registration of the name, by a file of the same name, is the one that is meant.
   */
  #adoptMoved(id: number, url: string): boolean {
    const { kind, name } = this.#resolver.table.entry(id);
    const moved = (this.#effects.get(url) ?? NO_EFFECTS).registered.filter(
      (entry) => entry.kind === kind && entry.name === name && fileName(entry.url) === fileName(url),
    );
    if (moved.length === 1) this.#resolver.adopt(id, moved[0] as Registered);
    return moved.length === 1;
  }

  #list(url: string): string {
    const all = new Set([
      ...this.#resolver.registry.registeredAt(url),
      ...(this.#effects.get(url) ?? NO_EFFECTS).registered,
    ]);
    const names = [...all].map(({ kind, name }) => `${kind} '${name}'`);
    return names.length === 0 ? 'it registers nothing at all' : `it registers ${names.join(', ')}`;
  }

  #warnOnce(what: string): void {
    if (this.#resolver.table.claimWarning()) this.#options.warn(mainModuleWarning(what, this.#latest));
  }
}

/** The file of a URL, without folder and query. */
const fileName = (url: string): string => url.replace(/[?#].*$/, '').replace(/^.*\//, '');

const endedAt = (refused: readonly string[]): string =>
  refused.length === 0 ? '' : ` before it calls ${refused[0]}, which does nothing in a worker`;

/** What an import threw, with the cure for the usual reasons. */
function explained(error: unknown, url: string): string {
  const { message, code, name } = Object(error) as { message?: unknown; code?: unknown; name?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  if (
    /\.[cm]?tsx?$/.test(fileName(url)) &&
    (/TYPESCRIPT|UNKNOWN_FILE_EXTENSION/.test(String(code)) || name === 'SyntaxError')
  ) {
    return `${text} (this runtime does not run the TypeScript of that file: new ForkJoinPool({ preload: ['furcate/tsx'] }) does, or ForkJoinPool.configureCommonPool() with that option)`;
  }
  const { location } = globalThis as { location?: { protocol?: string } };
  if (url.startsWith('file:') && /^(https?|blob):$/.test(location?.protocol ?? '')) {
    return `${text} (in a browser, bundled code needs the option createWorker)`;
  }
  return text;
}
