/** Pages with all kinds of headers and policies, in real browsers: Chromium, and those that FURCATE_BROWSERS names, with commas. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from '../runtimes/browsers.js';
import { type Headers, Site } from './site.js';

const browsers = (process.env['FURCATE_BROWSERS'] ?? 'chromium').split(',') as Browser[];

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

  test('workers from files run everything: one of the user, and that of the library', async () => {
    const headers = { policy: "default-src 'self' 'unsafe-eval'" };
    expect(await resultOf('createWorker', headers)).toEqual(RESULTS);
    expect(await resultOf('workerUrl', headers)).toEqual(RESULTS);
  });

  describe("without 'unsafe-eval'", () => {
    test('workers from blobs run all but inline functions, which get a clear error', async () => {
      const policy = "default-src 'self'; worker-src 'self' blob:";
      expect(await resultOf('withoutInline', { policy })).toEqual(STRICT);
    });

    test('so do workers from files that have all of the library', async () => {
      const headers = { policy: "default-src 'self'" };
      expect(await resultOf('createCompleteWorker', headers)).toEqual(STRICT);
      expect(await resultOf('completeWorkerUrl', headers)).toEqual(STRICT);
    });
  });

  test('a policy that forbids workers from blobs, and a missing file, reject promptly and say what to do', async () => {
    expect(await resultOf('refused', { policy: "default-src 'self'" })).toEqual({
      error: expect.stringMatching(/a worker could not start: .*worker-src blob:.*createWorker/),
      isPrompt: true,
    });
    expect(await resultOf('missing')).toEqual({
      error: expect.stringMatching(
        /a worker could not start: its file could not be loaded\. Is the URL of its file right/,
      ),
      isPrompt: true,
    });
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

  test('when terminate() has resolved, a task that computed runs no more', async () => {
    expect(await resultOf('terminates')).toEqual({ lost: expect.stringMatching(/^CancellationError: /), wentOn: 0 });
  });

  test('a page that is left takes its workers with it', async () => {
    expect(await resultOf('leavesWorkers')).toBe(2);
    expect(await resultOf('nothingIsLeft')).toBe(true);
  });
});
