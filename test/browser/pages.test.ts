/** Pages with all kinds of headers and policies, in real browsers: Chromium, and those that FURCATE_BROWSERS names, with commas. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restingShare, workerThreads } from '../helpers/browser-processes.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';
import type { Browser } from '../runtimes/browsers.js';
import { type Headers, Site } from './site.js';

const browsers = (process.env['FURCATE_BROWSERS'] ?? 'chromium').split(',') as Browser[];

/** What an idle page may use of a core. */
const REST_LIMIT = 0.005;

/** How deep tasks nest at least. */
const DEPTHS: Readonly<Record<Browser, number>> = { chromium: 1_500, firefox: 2_000, webkit: 1_500 };

const RESULTS = {
  fib: 610,
  sum: 5050,
  waits: 5,
  fails: 'RangeError: as it was told',
  isOnPage: false,
  reduced: expect.any(Number),
  isSorted: true,
  values: ['aa', 'bb'],
  inline: 15_838,
};
const NO_WASM = expect.stringMatching(/^no: A Content Security Policy .*'wasm-unsafe-eval'/);
const STRICT = { ...RESULTS, inline: expect.stringMatching(/^EvalError: furcate: .*'unsafe-eval'.*forkable\(/) };

describe.each(browsers)('%s:', (browser) => {
  let site: Site;

  beforeAll(() => {
    site = new Site(browser);
  });
  afterAll(() => site.close());

  /** What a scenario gives; nothing else may have gone wrong on its page. */
  async function resultOf(scenario: string, headers?: Headers): Promise<unknown> {
    const { value, thrown, loose } = await site.visit(scenario, headers);
    expect({ thrown, loose }).toEqual({ thrown: undefined, loose: [] });
    return value;
  }

  test('an isolated page without a bundler runs everything in workers', async () => {
    expect(await resultOf('everything')).toEqual(RESULTS);
  });

  test('a dedicated worker has a pool, blocks, and is stolen from', async () => {
    expect(await resultOf('inWorker')).toEqual({ fib: 610, sum: 5050, reduced: 300_000, threads: 3 });
  });

  test('a page refuses to block, and says what to do', async () => {
    expect(await resultOf('mustNotBlock')).toEqual([
      expect.stringContaining('Use await pool.invoke() here'),
      expect.stringContaining('Use await parallelReduce() here'),
    ]);
  });

  test('a page that is not isolated gives the same results, with one warning that names the headers', async () => {
    const { results, warnings } = (await resultOf('alone', { isolated: false })) as Record<string, string[]>;
    expect(results).toEqual({ ...RESULTS, isOnPage: true });
    expect(warnings).toEqual([
      expect.stringMatching(/Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp/),
    ]);
  });

  test('without waitAsync, and with workers whose file awaits before it imports the library, everything runs', async () => {
    expect(await resultOf('withoutWaitAsync')).toEqual(RESULTS);
  });

  describe('a Content Security Policy, by the rows of docs/runtimes.md:', () => {
    const INLINE = { inlineFunctions: expect.stringMatching(/^no: .*forkables.*'unsafe-eval'/) };
    const WASM = { wasmThreads: NO_WASM, wasmSimd: NO_WASM };
    const WELL = { ok: true, isMeasured: true, blocking: expect.stringMatching(/^no: /) };

    const rows: Readonly<Record<string, () => Promise<void>>> = {
      async 'worker-src blob:'() {
        const modules = browser === 'firefox' ? "'self' " : ''; // it asks this rule for modules of workers, too
        const headers = { policy: `default-src 'self' 'unsafe-eval'; worker-src ${modules}blob:` };
        expect(await resultOf('everything', headers)).toEqual(RESULTS);
        expect(await resultOf('doctor', headers)).toEqual(WELL);
      },
      async "worker-src 'self'"() {
        const headers = { policy: "default-src 'self' 'unsafe-eval'; worker-src 'self'" };
        expect(await resultOf('createWorker', headers)).toEqual(RESULTS);
        expect(await resultOf('workerUrl', headers)).toEqual(RESULTS);
        expect(await resultOf('doctorWithFile', headers)).toEqual(WELL);
        expect(await resultOf('doctor', headers)).toEqual({
          ok: false,
          isMeasured: false,
          blocking: WELL.blocking,
          threads: expect.stringMatching(/^no: .*worker-src blob:.*createWorker/),
          roundTrip: expect.any(String),
        });
      },
      async "no 'unsafe-eval' in script-src"() {
        const blobs = { policy: "default-src 'self'; worker-src 'self' blob:" };
        expect(await resultOf('withoutInline', blobs)).toEqual(STRICT);
        expect(await resultOf('doctor', blobs)).toEqual({ ...WELL, ...INLINE, ...WASM });
        const files = { policy: "default-src 'self'" };
        expect(await resultOf('createCompleteWorker', files)).toEqual(STRICT);
        expect(await resultOf('completeWorkerUrl', files)).toEqual(STRICT);
        expect(await resultOf('doctorWithFile', files)).toEqual({ ...WELL, ...INLINE, ...WASM });
      },
      async "require-trusted-types-for 'script'"() {
        const policy =
          "default-src 'self'; worker-src 'self' blob:; require-trusted-types-for 'script'; trusted-types furcate";
        expect(await resultOf('withoutInline', { policy })).toEqual(STRICT);
      },
      async "no 'wasm-unsafe-eval' in script-src"() {
        const policy = "default-src 'self'; worker-src blob:; script-src 'self'";
        const without = (await resultOf('kernels', { policy })) as object;
        const allowed = { policy: `${policy} 'wasm-unsafe-eval'` };
        const withWasm = (await resultOf('kernels', allowed)) as object;
        expect(without).toEqual({ ...withWasm, isWasm: false });
        expect(withWasm).toMatchObject({ isWasm: true });
        expect(await resultOf('doctor', allowed)).toEqual({ ...WELL, ...INLINE });
      },
    };

    test.each(Object.entries(rows))('%s', (_, works) => works());

    test('each row of the page is tested', () => {
      const [, section = ''] = readFileSync(join(ROOT, 'docs/runtimes.md'), 'utf8').split(
        '### Content Security Policies',
      );
      const lines = section.split('\n## ', 1)[0]?.matchAll(/^\| (.+?) \|/gm) ?? [];
      const policies = [...lines].map(([, policy = '']) => policy.replaceAll('`', ''));
      expect(policies.slice(2)).toEqual(Object.keys(rows));
    });
  });

  test('a policy that forbids workers from blobs, and a missing file, reject promptly and say what to do', async () => {
    expect(await resultOf('refused', { policy: "default-src 'self'" })).toEqual({
      error: expect.stringMatching(/a worker could not start: .*worker-src blob:.*createWorker/),
      isPrompt: true,
    });
    expect(await resultOf('missing')).toEqual({
      error: expect.stringMatching(/a worker could not start: the server answers 404 to http:.*/),
      isPrompt: true,
    });
  });

  test.each([1, 3])('a part of the library whose fetch fails %i times is fetched by the next call', async (times) => {
    const fails: Headers['fails'] = ['/dist/forValues.js', times];
    const outcomes = (await resultOf('fetchesLater', { fails })) as unknown[];
    expect(outcomes.pop()).toEqual(['aa', 'bb']);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes).toEqual(outcomes.map(() => expect.stringMatching(/^TypeError: .*forValues\.js/)));
  });

  test('a module that imports a package by its name is refused with what workers lack', async () => {
    expect(await resultOf('bareNames')).toMatch(/workers have no import map/);
  });

  test('a task that closes its worker is a crash; the next call has new workers', async () => {
    expect(await resultOf('closes')).toEqual({
      lost: expect.stringMatching(/^WorkerCrashError: .*worker 1 of pool 'closing' ended with exit code 0/),
      next: 6,
    });
  });

  test('tasks nest as deep as docs/runtimes.md says; deeper is an error of the engine, and the pool works on', async () => {
    const { deepest, ...rest } = (await resultOf('depth')) as { deepest: number };
    expect(deepest).toBeGreaterThanOrEqual(DEPTHS[browser]);
    expect(rest).toEqual({ error: expect.stringMatching(/^(RangeError|InternalError): /), after: 100 });
  });

  test('when terminate() has resolved, a task that computed runs no more', async () => {
    expect(await resultOf('terminates')).toEqual({ lost: expect.stringMatching(/^CancellationError: /), wentOn: 0 });
  });

  describe('a page costs', () => {
    test('nothing when it has been left, also while a worker computes', async () => {
      expect(await resultOf('leavesWorkers')).toBe(2);
      if (browser === 'chromium') expect(workerThreads()).toBe(2);
      expect(await resultOf('nothingIsLeft')).toBe(true);
      // A thread ends behind its locks; Firefox keeps threads for the next workers.
      if (browser === 'chromium') await expect.poll(workerThreads, { timeout: STEP_HANG_MS }).toBe(0);
    });

    test('nothing while its pool has nothing to do', async () => {
      expect(await resultOf('rests')).toBe(2);
      expect(await restingShare(REST_LIMIT)).toBeLessThan(REST_LIMIT);
      expect(await resultOf('restsBadly')).toBe(2); // so this test would see workers that poll
      expect(await restingShare(REST_LIMIT)).toBeGreaterThan(REST_LIMIT);
    });
  });
});
