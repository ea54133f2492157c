/** Follows the recipes of docs/runtimes.md for browsers, in production and in development, and shows each bundle to Chromium. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import { type DevServer, serve } from '../helpers/dev-servers.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import {
  build,
  edited,
  installBundlers,
  makeApp,
  pageFile,
  pageJson,
  type Recipe,
  recipe,
} from '../helpers/recipes.js';
import { folderSite, type Site, TELLING, type Told, visit } from '../helpers/visits.js';

type Files = Readonly<Record<string, string>>;

const page = (script: string): string => `<!doctype html>\n<title>x</title>\n${TELLING}\n${script}\n`;
const MODULE = '<script type="module" src="./main.js"></script>';
/** For bundlers that begin with a script; the page is then beside their `dist`. */
const LOADING = '<script type="module" src="dist/main.js"></script>';
/** The same where a service worker reloads the page first. */
const ONCE_ISOLATED = '<script type="module">if (crossOriginIsolated) await import("/dist/main.js");</script>';

/** The program of the page for browsers. */
const program = (): Files => {
  const [inNode, ...rest] = pageFile('pool.js').split('\n').slice(1);
  expect(inNode).toMatch(/'worker_threads'; \/\/ in Node/);
  return { 'pool.js': rest.join('\n'), 'pool-worker.js': pageFile('pool-worker.js') };
};
const { '@parcel/resolver-default': resolution } = pageJson('Parcel') as Record<string, unknown>;
const manifest = JSON.stringify({ private: true, type: 'module', '@parcel/resolver-default': resolution });

const withoutMinify = (how: Recipe): Recipe => edited(how, ' --minify', '');
const inDevelopment = (how: Recipe): Recipe => edited(how, '--mode production', '--mode development');
const withMaps = (how: Recipe): Recipe =>
  edited(how, '--mode production', '--mode development --devtool eval-source-map');

/** Bundles that files of a folder serve. */
const BUNDLES: readonly [name: string, begins: string, change?: (how: Recipe) => Recipe][] = [
  ['esbuild', 'esbuild main.js pool-worker.js'],
  ['esbuild-dev', 'esbuild main.js pool-worker.js', withoutMinify],
  ['rolldown', 'rolldown main.js pool-worker.js'],
  ['rolldown-dev', 'rolldown main.js pool-worker.js', withoutMinify],
  ['rollup', 'rollup main.js pool-worker.js'],
  ['rollup-dev', 'rollup main.js pool-worker.js', (how) => edited(how, ' --plugin terser', '')],
  ['webpack', 'webpack --mode'],
  ['webpack-dev', 'webpack --mode', inDevelopment],
  ['webpack-dev-maps', 'webpack --mode', withMaps],
  ['rspack', 'rspack build --mode'],
  ['rspack-dev', 'rspack build --mode', inDevelopment],
  ['rspack-dev-maps', 'rspack build --mode', withMaps],
];

/** Bundlers that begin with the page. */
const PAGE_BUNDLES: readonly [name: string, begins: string, files: Files][] = [
  ['vite', 'vite build', {}],
  ['parcel', 'parcel build index.html', { 'package.json': manifest }],
];

const SERVERS: readonly [name: string, begins: string, files: Files][] = [
  ['vite-server', 'vite', { 'vite.config.js': pageFile('vite.config.js'), 'index.html': page(MODULE) }],
  [
    'webpack-server',
    'webpack serve',
    { 'webpack.dev.config.js': pageFile('webpack.dev.config.js'), 'index.html': page(LOADING) },
  ],
  [
    'rspack-server',
    'rspack serve',
    { 'webpack.dev.config.js': pageFile('webpack.dev.config.js'), 'index.html': page(LOADING) },
  ],
  [
    'esbuild-server',
    'esbuild --bundle --splitting --format=esm --outdir=dist --servedir=.',
    {
      'isolated.js': pageFile('isolated.js'),
      'index.html': page(`<script src="isolated.js"></script>${ONCE_ISOLATED}`),
    },
  ],
  [
    'parcel-server',
    'parcel serve index.html',
    { 'package.json': manifest, '.proxyrc.cjs': pageFile('.proxyrc.cjs'), 'index.html': page(MODULE) },
  ],
];

const NAMES = [...BUNDLES, ...PAGE_BUNDLES, ...SERVERS].map(([name]) => name);

const apps: string[] = [];
const servers: DevServer[] = [];
let told: ReadonlyMap<string, readonly Told[]>;

const appOf = (files: Files): string => {
  const app = makeApp(files);
  apps.push(app);
  return app;
};

const bundleSite = ([name, begins, change = (how: Recipe): Recipe => how]: (typeof BUNDLES)[number]): Site => {
  const app = appOf({ ...program(), 'index.html': page(LOADING) });
  build(change(recipe(begins)), app);
  return folderSite(name, app);
};

const pageBundleSite = ([name, begins, files]: (typeof PAGE_BUNDLES)[number]): Site => {
  const app = appOf({ ...program(), 'index.html': page(MODULE), ...files });
  build(recipe(begins), app);
  return folderSite(name, join(app, 'dist'));
};

async function serverSite(name: string, begins: string, files: Files): Promise<Site> {
  const server = await serve(name, recipe(begins), appOf(files));
  servers.push(server);
  return server.site;
}

/** A site without headers, whose service worker adds them. */
function staticSite(): Site {
  const report = '<script>if (crossOriginIsolated) console.log("isolated");</script>';
  const index = page(`<script src="isolated.js"></script>${report}`);
  return folderSite('static', appOf({ 'isolated.js': pageFile('isolated.js'), 'index.html': index }), {});
}

/** A bundle without a worker file. */
const LACKING: readonly (typeof BUNDLES)[number][] = [
  ['esbuild-lacking', 'esbuild main.js pool-worker.js'],
  ['rspack-lacking', 'rspack build --mode'],
  ['webpack-lacking', 'webpack --mode', withMaps],
];

function lackingSite([name, begins, change = (how: Recipe): Recipe => how]: (typeof BUNDLES)[number]): Site {
  const app = appOf({ 'pool-worker.js': '', 'index.html': page(LOADING) });
  build(change(recipe(begins)), app);
  return folderSite(name, app);
}

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  await installBundlers();
  const sites = [...BUNDLES.map(bundleSite), ...PAGE_BUNDLES.map(pageBundleSite), ...LACKING.map(lackingSite)];
  for (const [name, begins, files] of SERVERS) sites.push(await serverSite(name, begins, { ...program(), ...files }));
  const [, begins, files] = SERVERS[0] as (typeof SERVERS)[number];
  sites.push(staticSite(), await serverSite('vite-without-file', begins, files));
  told = await visit(sites);
}, LONG_TEST_HANG_MS);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  for (const app of apps) rmSync(app, { recursive: true, force: true });
});

describe.each([...NAMES, 'vite-without-file'])('the program by %s', (name) => {
  test('runs in Chromium, and prints nothing else', () => {
    const [first, ...rest] = told.get(name) as [Told];
    expect({ ...first, text: JSON.parse(first.text) as unknown }).toEqual({ kind: 'log', text: BUNDLED_RESULTS });
    expect(rest).toEqual([]);
  });
});

test('the service worker of the page isolates a site that sends no headers', () => {
  expect(told.get('static')).toEqual([{ kind: 'log', text: 'isolated' }]);
});

test.each(LACKING.map(([name]) => name))('a bundle without a worker file says how to write one: %s', (name) => {
  expect(told.get(name)?.at(-1)?.text).toContain(
    "createWorker: () => new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' })",
  );
});
