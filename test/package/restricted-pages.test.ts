/** Pages without a bundler, under Trusted Types, and service workers, as docs/runtimes.md has them. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';
import { pageFile } from '../helpers/recipes.js';
import { folderSite, type Site, TELLING, type Told, visit } from '../helpers/visits.js';
import { testedBrowsers } from '../runtimes/browsers.js';

const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

const ON_THREADS = `
  import { parallelReduce, sharedArray, ForkJoinPool } from 'furcate';
  const pool = new ForkJoinPool({ parallelism: 1 });
  const numbers = sharedArray(Float64Array, 200_000).fill(1);
  parallelReduce(numbers, 'sum', { pool, threshold: 1000 }).then(
    (sum) => console.log(sum, pool.stats().started ?? pool.parallelism),
    (error) => console.error(error.message),
  );`;

/** What a service worker computes, and sends to the page. */
const IN_SERVICE_WORKER = `
  import { ForkJoinPool, parallelMap } from 'furcate';
  const pool = new ForkJoinPool({ parallelism: 1 });
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('message', async ({ ports: [port] }) => {
    const values = await parallelMap(['a', 'bb'], (text) => text.length, { pool }).catch(({ message }) => message);
    port.postMessage(String(values));
  });`;

const ASKING = `
  await navigator.serviceWorker.register('service.js', { type: 'module' });
  const { active } = await navigator.serviceWorker.ready;
  const channel = new MessageChannel();
  channel.port1.onmessage = ({ data }) => console.log(data);
  active.postMessage('', [channel.port2]);`;

const ASKING_AS_DOCUMENTED = `
  await navigator.serviceWorker.register('service.js', { type: 'module' });
  const { active } = await navigator.serviceWorker.ready;
  navigator.serviceWorker.onmessage = ({ data }) => console.log(String(data));
  active.postMessage(['a', 'bb']);`;

let folder: string;
const told = new Map<string, ReadonlyMap<string, readonly Told[]>>();

async function site(name: string, scripts: Readonly<Record<string, string>>, policy?: string): Promise<Site> {
  const outdir = join(folder, name);
  for (const [file, contents] of Object.entries(scripts)) {
    const stdin = { contents, resolveDir: ROOT };
    await build({
      stdin,
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir,
      entryNames: file,
      logLevel: 'error',
    });
  }
  writeFileSync(
    join(outdir, 'index.html'),
    `<!doctype html><title>x</title>${TELLING}<script type="module" src="main.js"></script>`,
  );
  return folderSite(name, outdir, {
    ...ISOLATED,
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
  });
}

/** A page without a bundler, as docs/runtimes.md has it. */
function plainSite(): Site {
  const root = join(folder, 'plain');
  cpSync(join(ROOT, 'dist'), join(root, 'furcate'), { recursive: true });
  for (const file of ['page.js', 'page-tasks.js']) writeFileSync(join(root, file), pageFile(file));
  const [, head = ''] =
    /```html\n(<script type="importmap">[\s\S]*?)\n```/.exec(readFileSync(join(ROOT, 'docs/runtimes.md'), 'utf8')) ??
    [];
  writeFileSync(join(root, 'index.html'), `<!doctype html><title>x</title>${TELLING}${head}`);
  return folderSite('plain', root);
}

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  folder = mkdtempSync(join(tmpdir(), 'furcate-restricted-'));
  const sites = [
    plainSite(),
    await site('trusted', { main: ON_THREADS }, "require-trusted-types-for 'script'; trusted-types furcate"),
    await site('untrusted', { main: ON_THREADS }, "require-trusted-types-for 'script'; trusted-types other"),
    await site('service', { main: ASKING, service: IN_SERVICE_WORKER }),
    await site('complete-service', { main: ASKING_AS_DOCUMENTED, service: pageFile('service-worker.js') }),
  ];
  for (const browser of testedBrowsers()) told.set(browser, await visit(sites, browser));
}, LONG_TEST_HANG_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(testedBrowsers())('in %s', (browser) => {
  const lastOf = (name: string): string | undefined => told.get(browser)?.get(name)?.at(-1)?.text;

  test('a page without a bundler runs tasks that name the library by its URL', () => {
    expect(lastOf('plain')).toBe('27 2,3');
  });

  test('workers start under Trusted Types that admit the policy of the library', () => {
    expect(lastOf('trusted')).toMatch(/^200000 /);
  });

  test('an error names the policy where Trusted Types do not admit it', () => {
    expect(lastOf('untrusted')).toMatch(/add 'furcate' to its rule trusted-types/);
  });

  test('a service worker with all parts, as docs/runtimes.md has it, computes with plain values', () => {
    expect(lastOf('complete-service')).toBe('1,2');
  });

  test('a service worker that lacks parts says what to import', () => {
    expect(lastOf('service')).toMatch(/furcate: a service worker may not .*'furcate\/worker\/complete'/);
  });
});
