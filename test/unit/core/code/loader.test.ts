import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodeLoader } from '../../../../src/core/code/loader.js';
import {
  enterWorker,
  guardMainModule,
  isMainModuleSentinel,
  mainModuleCure,
  stallMainModule,
} from '../../../../src/core/code/main-module.js';
import { CodeRegistry } from '../../../../src/core/code/registry.js';
import { CodeResolver, isFailed, MISSING } from '../../../../src/core/code/resolver.js';
import { CodeTable } from '../../../../src/core/code/table.js';
import { PlainStorage } from '../../../../src/core/code/table-storage.js';
import { type Host, registerHost } from '../../../../src/core/platform/host.js';

const URL_A = 'file:///app/tasks.mjs';

/** What a loader asks of the runtime. */
const runtime: Pick<Host, 'importModule' | 'warn' | 'mainUrl'> = {
  importModule: () => Promise.resolve(),
  warn: () => {},
};
registerHost(() => runtime as Host);

describe('a loader', () => {
  let storage: PlainStorage;
  let codes: CodeRegistry;
  let here: CodeResolver;
  let warnings: string[];
  let imports: string[];
  /** What the module at a URL does when it is evaluated; as in an engine, once, and its outcome stays. */
  let modules: Record<string, () => unknown>;
  let evaluated: Map<string, Promise<unknown>>;

  beforeEach(() => {
    vi.useFakeTimers();
    storage = new PlainStorage();
    codes = new CodeRegistry();
    warnings = [];
    imports = [];
    modules = {};
    evaluated = new Map();
  });
  afterEach(() => {
    enterWorker(undefined);
    vi.useRealTimers();
  });

  const importModule = (url: string): Promise<unknown> => {
    imports.push(url);
    const body = modules[url];
    let done = evaluated.get(url);
    if (done === undefined) {
      done = body === undefined ? Promise.reject(new Error(`Cannot find module ${url}`)) : Promise.resolve().then(body);
      evaluated.set(url, done);
    }
    return done;
  };

  const makeLoader = (rules?: { byName: boolean }): CodeLoader => {
    here = new CodeResolver(new CodeTable(storage), codes, rules);
    Object.assign(runtime, { importModule, warn: (message: string) => warnings.push(message) });
    return new CodeLoader(here);
  };
  const define = (name: string, url = URL_A): unknown => codes.register('function', url, name, () => name);
  const idOf = (name: string, url = URL_A): number => new CodeTable(storage).idOf('function', url, name);
  const outcomeOf = (id: number, of = here): string => {
    const code = of.tryResolve(id);
    if (code === MISSING) return 'missing';
    return isFailed(code) ? code.failure : 'loaded';
  };
  const load = async (loader: CodeLoader, name: string, url = URL_A): Promise<string> => {
    const id = idOf(name, url);
    const loading = loader.load(id);
    await vi.runAllTimersAsync();
    await loading;
    return outcomeOf(id);
  };

  test('imports a module, whose registrations then resolve', async () => {
    modules[URL_A] = () => define('f');
    expect(await load(makeLoader(), 'f')).toBe('loaded');
    expect(imports).toEqual([URL_A]);
    expect(warnings).toEqual([]);
  });

  test('leaves alone what is there, or failed', async () => {
    define('f');
    const loader = makeLoader();
    expect(await load(loader, 'f')).toBe('loaded');
    here.fail(idOf('g'), 'known to fail');
    expect(await load(loader, 'g')).toBe('known to fail');
    expect(imports).toEqual([]);
  });

  test('imports once for codes that are wanted at the same time', async () => {
    modules[URL_A] = () => [define('f'), define('g')];
    const loader = makeLoader();
    const all = [loader.load(idOf('f')), loader.load(idOf('g')), loader.load(idOf('f'))];
    await vi.runAllTimersAsync();
    await Promise.all(all);
    expect(['f', 'g'].map((name) => outcomeOf(idOf(name)))).toEqual(['loaded', 'loaded']);
    expect(imports).toEqual([URL_A]);
  });

  test('says what the module registers when it lacks the name, for every thread', async () => {
    modules[URL_A] = () => [
      define('f'),
      codes.register('error', URL_A, 'E', Error),
      define('other', 'file:///app/b.mjs'),
    ];
    const text = await load(makeLoader(), 'g');
    expect(text).toBe(
      `furcate: a worker cannot load the function 'g': ${URL_A} registers nothing of that name; ` +
        "it registers function 'f', error 'E', function 'other'.",
    );
    expect(outcomeOf(idOf('g'), new CodeResolver(new CodeTable(storage), new CodeRegistry()))).toBe(text);
    modules['file:///app/none.mjs'] = () => undefined;
    expect(await load(makeLoader(), 'g', 'file:///app/none.mjs')).toMatch(/it registers nothing at all\.$/);
  });

  test('says why the import failed', async () => {
    modules[URL_A] = () => Promise.reject(new Error('no database here'));
    expect(await load(makeLoader(), 'f')).toBe(
      `furcate: a worker cannot load the function 'f': importing ${URL_A} failed: no database here`,
    );
  });

  test.each([
    [
      'Node',
      Object.assign(new Error("Cannot find module '/build/tasks.js' imported from x"), {
        code: 'ERR_MODULE_NOT_FOUND',
      }),
    ],
    ['Node, of a URL that is no file', Object.assign(new Error('x'), { code: 'ERR_UNSUPPORTED_ESM_URL_SCHEME' })],
    ['Bun', new Error("Cannot find module '/build/tasks.js' from ''")],
    ['Deno', new TypeError('Module not found "file:///build/tasks.js".')],
    ['Chromium', new TypeError('Failed to fetch dynamically imported module: http://x/tasks.js')],
    ['Firefox', new TypeError('error loading dynamically imported module: http://x/tasks.js')],
  ])('tells of the line for bundles where the module is not there: %s', async (_, error) => {
    modules[URL_A] = () => Promise.reject(error);
    expect(await load(makeLoader(), 'f')).toContain(
      "createWorker: () => new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' })",
    );
  });

  describe('of a worker that ends for an error', () => {
    const program = 'file:///app/main%7E.mjs';
    const endOf = async (url: string, error: unknown, started: string | undefined): Promise<unknown> => {
      const loader = makeLoader();
      runtime.mainUrl = () => started;
      modules[url] = () => define('f', url);
      await load(loader, 'f', url);
      return loader.explainEnd(error);
    };

    test('says so if the worker had imported the program itself', async () => {
      const error = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
      expect(await endOf('file:///app/main~.mjs', error, program)).toBe(error);
      expect(error.message).toMatch(
        /^listen EADDRINUSE \(this worker imported .*main~\.mjs, the program itself.*isMainThread/,
      );
    });

    test('leaves other errors as they are', async () => {
      for (const [url, started] of [
        [URL_A, program],
        [program, undefined],
      ] as const) {
        const error = new Error('own');
        expect(await endOf(url, error, started)).toBe(error);
        expect(error.message).toBe('own');
      }
      expect(await endOf(program, 'a text', program)).toBe('a text');
      expect(await endOf(program, Object.freeze(new Error('frozen')), program)).toMatchObject({ message: 'frozen' });
    });
  });

  test('takes a module that threw halfway for failed, whatever it registered before', async () => {
    modules[URL_A] = () => {
      define('f');
      throw new TypeError('document is not defined');
    };
    expect(await load(makeLoader(), 'f')).toMatch(/importing .* failed: document is not defined/);
  });

  test.each([
    [
      'file:///app/t.ts',
      Object.assign(new TypeError('Unknown file extension ".ts"'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' }),
    ],
    ['file:///app/t.mts', Object.assign(new Error('enum'), { code: 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' })],
    ['file:///app/t.ts?v=1', new SyntaxError('Unexpected token')],
  ])('tells how to run TypeScript: %s', async (url, error) => {
    modules[url] = () => Promise.reject(error);
    expect(await load(makeLoader(), 'f', url)).toMatch(/preload: \['furcate\/tsx'\]/);
  });

  test('tells of createWorker where a worker of a page fails to import', async () => {
    vi.stubGlobal('location', { protocol: 'blob:' });
    const loader = makeLoader();
    modules[URL_A] = () => Promise.reject(new ReferenceError('document is not defined'));
    expect(await load(loader, 'f')).toMatch(/document is not defined \(if a bundler made this program.*createWorker/);
    modules['file:///app/main.mjs'] = () => guardMainModule('new ForkJoinPool()');
    expect(await load(loader, 'f', 'file:///app/main.mjs')).toMatch(/registers nothing of that name.*createWorker/);
    vi.unstubAllGlobals();
  });

  test('survives an import that throws at once', async () => {
    const loader = makeLoader();
    runtime.importModule = () => {
      throw new Error('no import here');
    };
    expect(await load(loader, 'f')).toContain('no import here');
  });

  test('gives a module its time, and no more', async () => {
    modules[URL_A] = () => new Promise((resolve) => setTimeout(() => resolve(define('f')), 9_000));
    modules['file:///app/hang.mjs'] = () => new Promise(() => {});
    const loader = makeLoader();
    expect(await load(loader, 'f')).toBe('loaded');
    expect(await load(loader, 'g', 'file:///app/hang.mjs')).toBe(
      "furcate: a worker cannot load the function 'g': importing file:///app/hang.mjs took more than 10000 ms.",
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no timer behind', async () => {
    modules[URL_A] = () => define('f');
    const loading = makeLoader().load(idOf('f'));
    await vi.advanceTimersByTimeAsync(1);
    await loading;
    expect(vi.getTimerCount()).toBe(0);
  });

  describe('that meets a main module', () => {
    const sentinelOf = (start: () => void): unknown => {
      try {
        start();
      } catch (error) {
        return error;
      }
      return undefined;
    };

    test('keeps what it registered before it made a pool, and warns once in the process', async () => {
      modules[URL_A] = () => {
        define('f');
        guardMainModule('new ForkJoinPool()');
        define('never');
      };
      expect(await load(makeLoader(), 'f')).toBe('loaded');
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(
        new RegExp(`imported ${URL_A}, which calls new ForkJoinPool\\(\\).*module of their own`),
      );
      evaluated.clear();
      codes = new CodeRegistry();
      expect(await load(makeLoader(), 'f')).toBe('loaded');
      expect(warnings).toHaveLength(1);
    });

    test('finds a second task of it, although the import then fails from the cache', async () => {
      modules[URL_A] = () => {
        define('f');
        define('g');
        guardMainModule('new ForkJoinPool()');
      };
      const loader = makeLoader();
      expect([await load(loader, 'f'), await load(loader, 'g')]).toEqual(['loaded', 'loaded']);
      expect(await load(loader, 'h')).toBe(
        `furcate: a worker cannot load the function 'h': ${URL_A} registers nothing of that name before it calls ` +
          `new ForkJoinPool(), which does nothing in a worker; it registers function 'f', function 'g'. ${mainModuleCure()}.`,
      );
    });

    test('goes on where the module caught the sentinel, or wrapped it', async () => {
      modules[URL_A] = () => {
        sentinelOf(() => guardMainModule('parallelSumSync'));
        define('f');
      };
      modules['file:///app/wraps.mjs'] = () => {
        define('g', 'file:///app/wraps.mjs');
        throw new Error('start-up failed', { cause: sentinelOf(() => guardMainModule('new ForkJoinPool()')) });
      };
      modules['file:///app/hides.mjs'] = () => {
        define('h', 'file:///app/hides.mjs');
        sentinelOf(() => guardMainModule('new ForkJoinPool()'));
        throw new Error('no pool');
      };
      const loader = makeLoader();
      expect(await load(loader, 'f')).toBe('loaded');
      expect(await load(loader, 'g', 'file:///app/wraps.mjs')).toBe('loaded');
      expect(await load(loader, 'h', 'file:///app/hides.mjs')).toBe('loaded');
      expect(await load(loader, 'i', 'file:///app/hides.mjs')).toMatch(
        /before it calls new ForkJoinPool\(\).*\(it threw: no pool\)/,
      );
    });

    test('does not wait for one that awaits an algorithm at its top level', async () => {
      modules[URL_A] = async () => {
        define('f');
        await stallMainModule('parallelFor');
        define('never');
      };
      const loader = makeLoader();
      const loading = loader.load(idOf('f'));
      await vi.advanceTimersByTimeAsync(1);
      await loading;
      expect(outcomeOf(idOf('f'))).toBe('loaded');
      expect(warnings).toHaveLength(1);
      expect(await load(loader, 'g')).toMatch(
        /took more than 10000 ms before it calls parallelFor, which does nothing/,
      );
    });

    test('waits for one whose async main stalls, while its evaluation goes on', async () => {
      modules[URL_A] = async () => {
        const main = async (): Promise<void> => {
          await stallMainModule('pool.invoke()');
          define('never');
        };
        void main();
        await new Promise((resolve) => setTimeout(resolve, 50));
        define('f');
      };
      expect(await load(makeLoader(), 'f')).toBe('loaded');
      expect(codes.entries.map(({ name }) => name)).toEqual(['f']);
    });

    test('still refuses what the module starts later', async () => {
      modules[URL_A] = () => define('f');
      await load(makeLoader(), 'f');
      const sentinel = sentinelOf(() => guardMainModule('new ForkJoinPool()'));
      expect(isMainModuleSentinel(sentinel)).toBe(true);
      expect((sentinel as Error).message).toMatch(/new ForkJoinPool\(\) was reached in a worker\..*isMainThread/);
      expect(warnings).toHaveLength(1);
    });
  });

  test('finds what a module registers under another URL of the same file', async () => {
    modules['file:///link/tasks.mjs'] = () => [
      define('f', 'file:///real/tasks.mjs?ns=1'),
      define('g', 'file:///real/tasks.mjs?ns=1'),
    ];
    const loader = makeLoader();
    expect(await load(loader, 'f', 'file:///link/tasks.mjs')).toBe('loaded');
    expect(await load(loader, 'g', 'file:///link/tasks.mjs')).toBe('loaded');
    modules['file:///app/a.mjs'] = () => define('h', 'file:///app/b.mjs');
    expect(await load(loader, 'h', 'file:///app/a.mjs')).toMatch(
      /registers nothing of that name; it registers function 'h'/,
    );
  });

  describe('in a bundled worker', () => {
    test('imports nothing, and waits for the entry to register the name', async () => {
      const loader = makeLoader({ byName: true });
      const id = idOf('f', 'file:///build/machine/tasks.ts');
      const loading = loader.load(id);
      await vi.advanceTimersByTimeAsync(100);
      define('other', 'blob:x');
      define('f', 'blob:x');
      await vi.advanceTimersByTimeAsync(10);
      await loading;
      expect(outcomeOf(id)).toBe('loaded');
      expect(imports).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    });

    test('fails with the cure when the entry does not', async () => {
      const text = await load(makeLoader({ byName: true }), 'f', 'file:///build/machine/tasks.ts');
      expect(text).toMatch(
        /nothing that it imports registers a function of that name.*createWorker.*import the module/,
      );
    });

    test('fails for a name that two modules registered, naming both', async () => {
      define('f', 'blob:a');
      define('f', 'blob:b');
      expect(await load(makeLoader({ byName: true }), 'f', 'file:///build/x.ts')).toContain('blob:a and blob:b');
    });
  });
});

describe('outside of workers', () => {
  test('nothing is refused', () => {
    expect(() => guardMainModule('new ForkJoinPool()')).not.toThrow();
    expect(stallMainModule('parallelFor')).toBeUndefined();
  });

  test('other errors are no sentinel, nor are endless chains of causes', () => {
    const loop = new Error('x');
    loop.cause = loop;
    for (const error of [loop, new Error('x', { cause: 'y' }), 'x', null, undefined]) {
      expect(isMainModuleSentinel(error)).toBe(false);
    }
  });
});
