/**
 * Loads the modules of tests on any host, with the semantics of vitest: their imports can be replaced (`vi.mock`) and loaded anew
 * (`vi.resetModules`). Each module is a file with one function, which Vite's own transformation has made (../module-files.ts).
 */

/** A namespace object. Members are read through getters, as live bindings are. */
export type Namespace = Record<string, unknown>;

/** The function that a module has become; the parameters are those of Vite's transformation. */
type Body = (
  load: (specifier: string) => Promise<Namespace>,
  loadDynamically: (specifier: string) => Promise<Namespace>,
  exportName: (name: string, get: () => unknown) => void,
  exportAll: (from: Namespace) => void,
  meta: ImportMeta,
) => Promise<void>;

/** A module in the form that `vi.resetModules` knows: it takes the promise away. */
interface ModuleNode {
  promise: Promise<Namespace> | undefined;
  exports: Namespace | undefined;
  evaluated: boolean;
  readonly importers: Set<unknown>;
}

export interface ModulesOptions {
  /** The folder of this project: the functions are in `modules/`, and other files where the tests expect them. */
  readonly project: URL;
  /** What a module is told about its own place: the project, or the checkout. */
  readonly metaOf: (id: string) => string;
  /** Modules of the harness by the names that tests import them with. */
  readonly own: Readonly<Record<string, () => Promise<Namespace>>>;
  /** Where the host finds a package, if it has no way of its own. */
  readonly urlOf: (specifier: string) => string;
}

/** Turns a path of an import into the name of a module: TypeScript files import each other as `.js`. */
const idOf = (specifier: string, importer: string): string => {
  const path = new URL(specifier, `id:///${importer}`).pathname.slice(1);
  return path.replace(/\.js$/, '.ts');
};

export class Modules {
  readonly idToModuleMap = new Map<string, ModuleNode>();
  readonly #mocks = new Map<string, () => unknown>();
  readonly #mocked = new Map<string, Promise<Namespace>>();
  readonly #options: ModulesOptions;

  constructor(options: ModulesOptions) {
    this.#options = options;
  }

  /** What `vi.mock` calls. The harness has written the name of the module into the place of its path. */
  readonly mocker = {
    queueMock: (id: string, _importer: string, factory: () => unknown): void => {
      this.#mocks.set(id, factory);
      this.#mocked.delete(id);
    },
    queueUnmock: (id: string): void => {
      this.#mocks.delete(id);
    },
    importActual: (id: string): Promise<Namespace> => this.#actual(id),
    getMockContext: (): { callstack: null } => ({ callstack: null }),
  };

  /** Loads the module, or what replaces it. */
  load(id: string): Promise<Namespace> {
    const factory = this.#mocks.get(id);
    if (factory === undefined) return this.#actual(id);
    let mocked = this.#mocked.get(id);
    if (mocked === undefined) {
      mocked = (async () => (await factory()) as Namespace)();
      this.#mocked.set(id, mocked);
    }
    return mocked;
  }

  #actual(id: string): Promise<Namespace> {
    if (!/^(src|test|scripts)\//.test(id)) return this.#external(id);
    let node = this.idToModuleMap.get(id);
    if (node === undefined) {
      node = { promise: undefined, exports: undefined, evaluated: false, importers: new Set() };
      this.idToModuleMap.set(id, node);
    }
    node.promise ??= this.#run(id, node);
    return node.promise;
  }

  async #run(id: string, node: ModuleNode): Promise<Namespace> {
    const { default: body } = (await import(new URL(`modules/${id}.js`, this.#options.project).href)) as {
      default: Body;
    };
    const exports = Object.create(null, { [Symbol.toStringTag]: { value: 'Module' } }) as Namespace;
    const exportName = (name: string, get: () => unknown): void =>
      void Object.defineProperty(exports, name, { enumerable: true, configurable: true, get });
    const exportAll = (from: Namespace): void => {
      for (const name of Object.keys(from)) {
        if (name !== 'default' && !(name in exports)) exportName(name, () => from[name]);
      }
    };
    const load = (specifier: string): Promise<Namespace> => this.#import(specifier, id);
    await body(load, load, exportName, exportAll, {
      url: this.#options.metaOf(id),
      resolve: (name: string) => import.meta.resolve(name),
    } as ImportMeta);
    node.exports = exports;
    node.evaluated = true;
    return exports;
  }

  #import(specifier: string, importer: string): Promise<Namespace> {
    if (!/^\.\.?\//.test(specifier)) return this.load(specifier);
    const id = idOf(specifier, importer);
    return id.endsWith('.ts') ? this.load(id) : this.#external(new URL(id, this.#options.metaOf('')).href);
  }

  async #external(specifier: string): Promise<Namespace> {
    const own = this.#options.own[specifier];
    if (own !== undefined) return own();
    return (await import(this.#options.urlOf(specifier))) as Namespace;
  }
}
