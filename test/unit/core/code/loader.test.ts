import { describe, expect, test, vi } from 'vitest';
import { guardMainModule } from '../../../../src/core/code/main-module.js';
import { CodeRegistry } from '../../../../src/core/code/registry.js';
import { CodeResolver } from '../../../../src/core/code/resolver.js';
import { CodeTable } from '../../../../src/core/code/table.js';
import {
  A,
  B,
  define,
  idOf,
  lab,
  load,
  loadFor,
  makeLoader,
  outcomeOf,
  URL_A,
} from '../../../helpers/imitated-imports.js';

describe('a loader', () => {
  test('imports a module, whose registrations then resolve', async () => {
    lab.modules[URL_A] = () => define('f');
    expect(await load(makeLoader(), 'f')).toBe('loaded');
    expect(lab.imports).toEqual([URL_A]);
    expect(lab.warnings).toEqual([]);
  });

  test('leaves alone what is there, or failed', async () => {
    define('f');
    const loader = makeLoader();
    expect(await load(loader, 'f')).toBe('loaded');
    lab.here.fail(idOf('g'), 'known to fail', A);
    expect(await load(loader, 'g')).toBe('known to fail');
    expect(lab.imports).toEqual([]);
  });

  test('imports once for codes that are wanted at the same time', async () => {
    lab.modules[URL_A] = () => [define('f'), define('g')];
    const loader = makeLoader();
    const all = [loader.load(idOf('f'), A), loader.load(idOf('g'), A), loader.load(idOf('f'), A)];
    await vi.runAllTimersAsync();
    await Promise.all(all);
    expect(['f', 'g'].map((name) => outcomeOf(idOf(name)))).toEqual(['loaded', 'loaded']);
    expect(lab.imports).toEqual([URL_A]);
  });

  test('says what the module registers when it lacks the name', async () => {
    lab.modules[URL_A] = () => [
      define('f'),
      lab.codes.register('error', URL_A, 'E', class E extends Error {}),
      define('other', 'file:///app/b.mjs'),
    ];
    const text = await load(makeLoader(), 'g');
    expect(text).toBe(
      `furcate: a worker cannot load the function 'g': ${URL_A} registers nothing of that name; ` +
        "it registers function 'f', error 'E', function 'other'.",
    );
    const there = new CodeResolver(new CodeTable(lab.storage), new CodeRegistry());
    expect(outcomeOf(idOf('g'), there)).toBe('missing'); // each thread tries it
    lab.modules['file:///app/none.mjs'] = () => undefined;
    expect(await load(makeLoader(), 'g', 'file:///app/none.mjs')).toMatch(/it registers nothing at all\.$/);
  });

  test('says why the import failed', async () => {
    lab.modules[URL_A] = () => Promise.reject(new Error('no database here'));
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
    lab.modules[URL_A] = () => Promise.reject(error);
    expect(await load(makeLoader(), 'f')).toContain(
      "createWorker: () => new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' })",
    );
  });

  describe('of a worker that ends for an error', () => {
    const program = 'file:///app/main%7E.mjs';
    const endOf = async (url: string, error: unknown, started: string | undefined): Promise<unknown> => {
      const loader = makeLoader();
      lab.runtime.mainUrl = () => started;
      lab.modules[url] = () => define('f', url);
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
    lab.modules[URL_A] = () => {
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
    lab.modules[url] = () => Promise.reject(error);
    expect(await load(makeLoader(), 'f', url)).toMatch(/preload: \['furcate\/tsx'\]/);
  });

  test('tells of createWorker where a worker of a page fails to import', async () => {
    vi.stubGlobal('location', { protocol: 'blob:' });
    const loader = makeLoader();
    lab.modules[URL_A] = () => Promise.reject(new ReferenceError('document is not defined'));
    expect(await load(loader, 'f')).toMatch(/document is not defined \(if a bundler made this program.*createWorker/);
    lab.modules['file:///app/main.mjs'] = () => guardMainModule('new ForkJoinPool()');
    expect(await load(loader, 'f', 'file:///app/main.mjs')).toMatch(/registers nothing of that name.*createWorker/);
    vi.unstubAllGlobals();
  });

  test.each([
    ['http://localhost:63315/test/fib.test.ts?import&browserv=1', 'Vitest failed to access its internal state.'],
    ['file:///app/fib.spec.mjs', 'describe is not defined'],
    ['file:///app/main.mjs', 'Vitest failed to access its internal state.'],
  ])(
    'tells of a module of their own where the tasks of a test cannot be imported, and of no bundler: %s',
    async (url, text) => {
      vi.stubGlobal('location', { protocol: 'blob:' });
      lab.modules[url] = () => Promise.reject(new Error(text));
      const failure = await load(makeLoader(), 'f', url);
      expect(failure).toMatch(/\(this is the file of a test, .*move its tasks into a module of their own/);
      expect(failure).not.toMatch(/bundler/);
      vi.unstubAllGlobals();
    },
  );

  test.each([
    Object.assign(new Error('Requires read access to "/app/t.mjs", run again with the --allow-read flag'), {
      name: 'NotCapable',
    }),
    new TypeError(
      'Module not found: Requires import access to "example.org:443", run again with the --allow-import flag',
    ),
  ])('tells what Deno says of permissions, and of no bundler: %s', async (error) => {
    lab.modules[URL_A] = () => Promise.reject(error);
    const failure = await load(makeLoader(), 'f');
    expect(failure).toContain(error.message);
    expect(failure).not.toMatch(/bundler/);
  });

  test('survives an import that throws at once', async () => {
    const loader = makeLoader();
    lab.runtime.importModule = () => {
      throw new Error('no import here');
    };
    expect(await load(loader, 'f')).toContain('no import here');
  });

  test('gives a module its time, tells the owner, and warns once in the process', async () => {
    lab.modules[URL_A] = () => new Promise((resolve) => setTimeout(() => resolve(define('f')), 19_000));
    const said: string[] = [];
    const loader = makeLoader({}, { onSlow: (url, isOver) => said.push(`${url} ${isOver}`) });
    expect(await load(loader, 'f')).toBe('loaded');
    expect(lab.imports).toEqual([URL_A]);
    expect(said).toEqual([`${URL_A} false`, `${URL_A} true`]);
    expect(lab.warnings).toEqual([
      expect.stringMatching(
        /^furcate: .* importing file:.*tasks\.mjs for 10 s\. .* timeoutMs .* preload: \['file:.*tasks\.mjs'\]/,
      ),
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('returns while an import goes on, and never fails it for that', async () => {
    let end = (_: unknown): void => {};
    lab.modules[URL_A] = () => new Promise((resolve) => (end = resolve));
    const loader = makeLoader();
    const first = loader.load(idOf('f'), A);
    await vi.advanceTimersByTimeAsync(50);
    await first;
    expect(outcomeOf(idOf('f'))).toBe('missing');
    end(define('f'));
    expect(await loadFor(B, loader, 'f')).toBe('loaded');
    expect(lab.imports).toEqual([URL_A]);
  });

  describe('whose import has failed', () => {
    test('fails for its invocation at once, and tries again for the next', async () => {
      const loader = makeLoader();
      expect(await load(loader, 'f')).toContain('Cannot find module');
      expect(await load(loader, 'f')).toContain('Cannot find module');
      expect(lab.imports).toEqual([URL_A]);
      lab.evaluated.clear(); // an engine forgets what it could not fetch
      lab.modules[URL_A] = () => define('f');
      expect(await loadFor(B, loader, 'f')).toBe('loaded');
      expect(lab.imports).toEqual([URL_A, URL_A]);
    });

    test('imports a module that its engine keeps by another URL', async () => {
      lab.modules[URL_A] = () => Promise.reject(new Error('half written'));
      const loader = makeLoader();
      expect(await load(loader, 'f')).toContain('half written');
      lab.modules[`${URL_A}?furcate=1`] = () => Promise.reject(new Error('still half written'));
      expect(await loadFor(B, loader, 'f')).toContain('still half written');
      lab.modules[`${URL_A}?furcate=2`] = () => define('f', `${URL_A}?furcate=2`);
      expect(await loadFor(3, loader, 'f')).toBe('loaded');
    });

    test('has the code when the module registers it later', async () => {
      lab.modules[URL_A] = () => undefined;
      const loader = makeLoader();
      expect(await load(loader, 'f')).toContain('registers nothing at all');
      define('f');
      expect(await loadFor(B, loader, 'f')).toBe('loaded');
      expect(lab.imports).toEqual([URL_A]);
    });

    test('tells the owner before a task can fail for it', async () => {
      let failures = 0;
      const loader = makeLoader({}, { onFailure: () => failures++ });
      const loading = loader.load(idOf('f'), A);
      await vi.advanceTimersByTimeAsync(1);
      await loading;
      expect(failures).toBe(1);
    });
  });

  test('leaves no timer behind', async () => {
    lab.modules[URL_A] = () => define('f');
    const loading = makeLoader().load(idOf('f'), A);
    await vi.advanceTimersByTimeAsync(1);
    await loading;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('finds what a module registers under another URL of the same file', async () => {
    lab.modules['file:///link/tasks.mjs'] = () => [
      define('f', 'file:///real/tasks.mjs?ns=1'),
      define('g', 'file:///real/tasks.mjs?ns=1'),
    ];
    const loader = makeLoader();
    expect(await load(loader, 'f', 'file:///link/tasks.mjs')).toBe('loaded');
    expect(await load(loader, 'g', 'file:///link/tasks.mjs')).toBe('loaded');
    lab.modules['file:///app/a.mjs'] = () => define('h', 'file:///app/b.mjs');
    expect(await load(loader, 'h', 'file:///app/a.mjs')).toMatch(
      /registers nothing of that name; it registers function 'h'/,
    );
  });

  describe('in a bundled worker', () => {
    test('imports nothing, and waits for the entry to register the name', async () => {
      const loader = makeLoader({ byName: true });
      const id = idOf('f', 'file:///build/machine/tasks.ts');
      const loading = loader.load(id, A);
      await vi.advanceTimersByTimeAsync(100);
      define('other', 'blob:x');
      define('f', 'blob:x');
      await vi.advanceTimersByTimeAsync(10);
      await loading;
      expect(outcomeOf(id)).toBe('loaded');
      expect(lab.imports).toEqual([]);
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
