/** Follows the recipes of docs/runtimes.md for browsers, and shows each bundle to Chromium. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { build, installBundlers, makeApp, pageFile, pageJson, recipe } from '../helpers/recipes.js';
import { folderSite, type Site, TELLING, type Told, visit } from '../helpers/visits.js';

type Files = Readonly<Record<string, string>>;

const page = (script: string): string => `<!doctype html>\n<title>x</title>\n${TELLING}\n${script}\n`;
const MODULE = '<script type="module" src="./main.js"></script>';
/** For bundlers that begin with a script; the page is then beside their `dist`. */
const LOADING = '<script type="module" src="dist/main.js"></script>';

/** The program of the page for browsers. */
const program = (): Files => {
  const [inNode, ...rest] = pageFile('pool.js').split('\n').slice(1);
  expect(inNode).toMatch(/'worker_threads'; \/\/ in Node/);
  return { 'pool.js': rest.join('\n'), 'pool-worker.js': pageFile('pool-worker.js') };
};
const { '@parcel/resolver-default': resolution } = pageJson('Parcel') as Record<string, unknown>;
const manifest = JSON.stringify({ private: true, type: 'module', '@parcel/resolver-default': resolution });

const BUNDLERS: readonly [name: string, begins: string, files: Files, isPageBundled: boolean][] = [
  ['esbuild', 'esbuild main.js pool-worker.js', {}, false],
  ['rolldown', 'rolldown main.js pool-worker.js', {}, false],
  ['rollup', 'rollup main.js pool-worker.js', {}, false],
  ['webpack', 'webpack --mode', {}, false],
  ['rspack', 'rspack build --mode', {}, false],
  ['vite', 'vite build', {}, true],
  ['parcel', 'parcel build index.html', { 'package.json': manifest }, true],
];

const apps: string[] = [];
let told: ReadonlyMap<string, readonly Told[]>;

/** A site without headers, whose service worker adds them. */
function staticSite(): Site {
  const app = makeApp({ 'isolated.js': pageFile('isolated.js') });
  apps.push(app);
  const report = '<script>if (crossOriginIsolated) console.log("isolated");</script>';
  writeFileSync(join(app, 'index.html'), page(`<script src="isolated.js"></script>${report}`));
  return folderSite('static', app, {});
}

/** A bundle without a worker file. */
function lackingSite(name: string, begins: string): Site {
  const app = makeApp({ 'pool-worker.js': '', 'index.html': page(LOADING) });
  apps.push(app);
  build(recipe(begins), app);
  return folderSite(name, app);
}

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  await installBundlers();
  const sites = BUNDLERS.map(([name, begins, files, isPageBundled]) => {
    const app = makeApp({ ...program(), 'index.html': page(isPageBundled ? MODULE : LOADING), ...files });
    apps.push(app);
    build(recipe(begins), app);
    return folderSite(name, isPageBundled ? join(app, 'dist') : app);
  });
  const lacking = [
    lackingSite('esbuild-lacking', 'esbuild main.js pool-worker.js'),
    lackingSite('rspack-lacking', 'rspack build --mode'),
  ];
  told = await visit([...sites, staticSite(), ...lacking]);
}, LONG_TEST_HANG_MS);

afterAll(() => {
  for (const app of apps) rmSync(app, { recursive: true, force: true });
});

describe.each(BUNDLERS.map(([name]) => name))('the program by %s', (name) => {
  test('runs in Chromium, and prints nothing else', () => {
    const [first, ...rest] = told.get(name) as [Told];
    expect({ ...first, text: JSON.parse(first.text) as unknown }).toEqual({ kind: 'log', text: BUNDLED_RESULTS });
    expect(rest).toEqual([]);
  });
});

test('the service worker of the page isolates a site that sends no headers', () => {
  expect(told.get('static')).toEqual([{ kind: 'log', text: 'isolated' }]);
});

test.each(['esbuild-lacking', 'rspack-lacking'])('a bundle without a worker file says how to write one: %s', (name) => {
  expect(told.get(name)?.at(-1)?.text).toContain(
    "createWorker: () => new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' })",
  );
});
