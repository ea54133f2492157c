/**
 * Servers of SvelteKit, Astro and Nuxt, built by docs/deploy.md, run outside of the project with what they ship, and so do their pages; and a function that `vercel
 * build` has built. These tools are large and change little, so CI does not install them: FURCATE_FRAMEWORKS=all, or the name of one, runs these tests.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import {
  elsewhere,
  INLINE_PAGE,
  PAGE,
  PAGE_TOLD,
  packTasks,
  printed,
  ROUTE,
  type Served,
  serving,
} from '../helpers/deployed.js';
import { variable } from '../helpers/environment.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { installTools, makeApp, pageFile } from '../helpers/recipes.js';
import { installed } from '../runtimes/install.js';

interface Framework {
  /** What makes an app of the program. */
  readonly files: Readonly<Record<string, string>>;
  /** The program that builds it, in the folder of the tools. */
  readonly build: readonly string[];
  /** Where the build is, and the program in it. */
  readonly folder: string;
  readonly server: string;
  /** Whether the build has all files of packages that it needs. */
  readonly isWhole: boolean;
}

const GET = 'export const GET = async () => Response.json(await answer());';
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const setHeaders = (response: string): string =>
  `for (const [name, value] of Object.entries(${JSON.stringify(HEADERS)})) ${response}.headers.set(name, value);`;

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  sveltekit: {
    files: {
      'page.js': INLINE_PAGE,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';
        import adapter from '@sveltejs/adapter-node';
        export default { plugins: [sveltekit({ adapter: adapter() })] };`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/hooks.server.js': `export const handle = async ({ event, resolve }) => {
        const response = await resolve(event); ${setHeaders('response')} return response; };`,
      'src/routes/answer/+server.js': ROUTE.replace('export const answer', 'const answer') + GET,
      'src/routes/+page.svelte':
        "<script>import { onMount } from 'svelte'; import { start } from '../../page.js'; onMount(start);</script>",
    },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    folder: 'build',
    server: 'index.js',
    isWhole: false,
  },
  astro: {
    files: {
      'page.js': INLINE_PAGE,
      'astro.config.mjs': `import node from '@astrojs/node';
        export default { output: 'server', adapter: node({ mode: 'standalone' }) };`,
      'src/middleware.js': `export const onRequest = async (_, next) => {
        const response = await next(); ${setHeaders('response')} return response; };`,
      'src/pages/answer.js': ROUTE + GET,
      'src/pages/index.astro': "<script>import { start } from '../../page.js'; start();</script>",
    },
    build: ['node_modules/astro/bin/astro.mjs', 'build'],
    folder: 'dist',
    server: 'server/entry.mjs',
    isWhole: false,
  },
  nuxt: {
    files: {
      'nuxt.config.js': `export default defineNuxtConfig({
        compatibilityDate: '2025-01-01', telemetry: false, routeRules: { '/**': { headers: ${JSON.stringify(HEADERS)} } } });`,
      'server/routes/answer.js': `${ROUTE}export default defineEventHandler(answer);`,
      'app/app.vue': `<script setup>import { onMounted } from 'vue'; import { start } from '../page.js'; onMounted(start);</script>
        <template><div /></template>`,
    },
    build: ['node_modules/nuxt/bin/nuxt.mjs', 'build'],
    folder: '.output',
    server: 'server/index.mjs',
    isWhole: true,
  },
};

/** A function of Vercel: a pool and tasks, which the module beside it defines. */
const FUNCTION = `
  import { pool } from '../pool.js';
  import { run } from '../run.js';
  export default async (request, response) => response.json(await run(pool));
`;
const PROJECT = { projectId: 'project', orgId: 'team', settings: { framework: null, buildCommand: '' } };

const asked = variable('FURCATE_FRAMEWORKS') ?? '';
const asksFor = (name: string): boolean => asked === 'all' || asked === name;
const selected = Object.entries(FRAMEWORKS).filter(([name]) => asksFor(name));

test('each framework is asked for by its name', () => {
  expect(['', 'all', 'vercel', ...Object.keys(FRAMEWORKS)]).toContain(asked);
});

describe.each(selected)('%s', (_, { files, build, folder, server, isWhole }) => {
  test(
    'a server runs tasks of a package and inline functions, and its page runs tasks of a worker file',
    async () => {
      await ensureBuild(['scripts', 'declarations']);
      const tools = await installTools('frameworks');
      const node = installed('node-24'); // Astro takes none before 22.12
      const app = makeApp({ 'page.js': PAGE, 'pool-worker.js': pageFile('pool-worker.js') }, tools);
      try {
        for (const [name, text] of Object.entries(files)) {
          mkdirSync(dirname(join(app, name)), { recursive: true });
          writeFileSync(join(app, name), text);
        }
        const dependencies = { furcate: '*', 'parallel-tasks': '*' };
        writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', type: 'module', dependencies }));
        packTasks(app);
        const [program = '', ...args] = build;
        await printed(app, node, join(tools, program), ...args);
        await elsewhere(async (target) => {
          cpSync(join(app, folder), join(target, folder), { recursive: true });
          writeFileSync(join(target, 'package.json'), JSON.stringify({ type: 'module' }));
          for (const from of isWhole ? [] : [tools, app])
            cpSync(join(from, 'node_modules'), join(target, 'node_modules'), { recursive: true });
          const use = async ({ ask, show }: Served): Promise<void> => {
            expect(await ask('/answer')).toEqual({ ...BUNDLED_RESULTS, flows: 'function', bundled: 21 });
            expect(await show()).toEqual(PAGE_TOLD);
          };
          await serving(join(target, folder), server, use, node);
        });
      } finally {
        rmSync(app, { recursive: true, force: true });
      }
    },
    LONG_TEST_HANG_MS,
  );
});

test.each(['vercel'].filter(asksFor))(
  'a function that %s build has built runs tasks and inline functions',
  async () => {
    await ensureBuild(['scripts', 'declarations']);
    const tools = await installTools('vercel');
    const app = makeApp({}, tools);
    try {
      for (const folder of ['api', 'public', '.vercel']) mkdirSync(join(app, folder));
      writeFileSync(join(app, 'api/answer.js'), FUNCTION);
      writeFileSync(join(app, '.vercel/project.json'), JSON.stringify(PROJECT));
      // It installs what the manifest names. The lock file of makeApp names nothing.
      rmSync(join(app, 'package-lock.json'));
      await printed(join(tools, 'node_modules/furcate'), 'npm', 'pack', '--ignore-scripts', '--pack-destination', app);
      const [tarball = ''] = readdirSync(app).filter((name) => name.endsWith('.tgz'));
      const dependencies = { furcate: `file:${tarball}` };
      writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', type: 'module', dependencies }));
      await printed(app, process.execPath, join(tools, 'node_modules/vercel/dist/vc.js'), 'build', '--yes');
      await elsewhere(async (target) => {
        cpSync(join(app, '.vercel/output/functions/api/answer.func'), target, { recursive: true });
        const call =
          "import answer from './api/answer.js'; answer({}, { json: (value) => console.log(JSON.stringify(value)) });";
        const said = await printed(target, process.execPath, '--input-type=module', '-e', call);
        expect(JSON.parse(said)).toEqual(BUNDLED_RESULTS);
      });
    } finally {
      rmSync(app, { recursive: true, force: true });
    }
  },
  LONG_TEST_HANG_MS,
);
