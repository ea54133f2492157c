/**
 * Servers of SvelteKit and of Astro, built by docs/deploy.md, run outside of the project with the `node_modules` that they ship. The frameworks are large and
 * change little, so CI does not install them: FURCATE_FRAMEWORKS=all, or the name of one, runs these tests.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import { answerOf, elsewhere, packTasks, printed, ROUTE } from '../helpers/deployed.js';
import { variable } from '../helpers/environment.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { installTools, makeApp } from '../helpers/recipes.js';
import { installed } from '../runtimes/install.js';

interface Framework {
  /** What makes an app of the program. */
  readonly files: Readonly<Record<string, string>>;
  /** The program that builds it, in the folder of the tools. */
  readonly build: readonly string[];
  /** Where the build is, and the program in it. */
  readonly folder: string;
  readonly server: string;
  readonly path: string;
}

const GET = 'export const GET = async () => Response.json(await answer());';

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  sveltekit: {
    files: {
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';
        import adapter from '@sveltejs/adapter-node';
        export default { plugins: [sveltekit({ adapter: adapter() })] };`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/answer/+server.js': ROUTE.replace('export const answer', 'const answer') + GET,
    },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    folder: 'build',
    server: 'index.js',
    path: '/answer',
  },
  astro: {
    files: {
      'astro.config.mjs': `import node from '@astrojs/node';
        export default { output: 'server', adapter: node({ mode: 'standalone' }) };`,
      'src/pages/answer.js': ROUTE + GET,
    },
    build: ['node_modules/astro/bin/astro.mjs', 'build'],
    folder: 'dist',
    server: 'server/entry.mjs',
    path: '/answer',
  },
};

const asked = variable('FURCATE_FRAMEWORKS') ?? '';
const selected = Object.entries(FRAMEWORKS).filter(([name]) => asked === 'all' || asked === name);

test('each framework is asked for by its name', () => {
  expect(['', 'all', ...Object.keys(FRAMEWORKS)]).toContain(asked);
});

describe.each(selected)('%s', (_, { files, build, folder, server, path }) => {
  test(
    'a server runs tasks of a package, and inline functions',
    async () => {
      await ensureBuild(['scripts', 'declarations']);
      const tools = await installTools('frameworks');
      const node = installed('node-24'); // Astro takes none before 22.12
      const app = makeApp({}, tools);
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
          cpSync(join(tools, 'node_modules'), join(target, 'node_modules'), { recursive: true });
          cpSync(join(app, 'node_modules/parallel-tasks'), join(target, 'node_modules/parallel-tasks'), {
            recursive: true,
          });
          const answer = await answerOf(join(target, folder), server, path, node);
          expect(answer).toEqual({ ...BUNDLED_RESULTS, flows: 'function', bundled: 21 });
        });
      } finally {
        rmSync(app, { recursive: true, force: true });
      }
    },
    LONG_TEST_HANG_MS,
  );
});
