/**
 * A server of Next, built by the recipe of docs/deploy.md as a standalone folder, runs outside of the project, and so does its page. Turbopack builds it, in half a minute;
 * FURCATE_NEXT=webpack has webpack build it, in one and a half.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import { elsewhere, PAGE, PAGE_TOLD, packTasks, printed, ROUTE, serving } from '../helpers/deployed.js';
import { variable } from '../helpers/environment.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';
import { installTools, makeApp, pageFile } from '../helpers/recipes.js';

const LAYOUT = `import { createElement } from 'react';
  export default function Layout({ children }) { return createElement('html', null, createElement('body', null, children)); }`;
const CLIENT = `'use client';
  import { useEffect } from 'react';
  import { start } from '../page.js';
  export default function Page() { useEffect(start, []); return null; }`;
const BUNDLER = variable('FURCATE_NEXT') === 'webpack' ? ['--webpack'] : [];

test(
  'a standalone server of Next runs tasks of a package and inline functions, and its page runs tasks of a worker file',
  async () => {
    await ensureBuild(['scripts', 'declarations']);
    const tools = await installTools('next');
    // Next takes this project for that of the app, by its lock file. The standalone folder has the way from there to the app.
    const files = {
      'next.config.mjs': pageFile('next.config.mjs', 'docs/deploy.md'),
      'page.js': PAGE,
      'pool-worker.js': pageFile('pool-worker.js'),
    };
    const app = makeApp(files, tools);
    try {
      rmSync(join(app, 'package-lock.json'));
      packTasks(app);
      mkdirSync(join(app, 'app/answer'), { recursive: true });
      writeFileSync(join(app, 'app/layout.js'), LAYOUT);
      writeFileSync(join(app, 'app/page.js'), CLIENT);
      const GET = 'export const GET = async () => Response.json(await answer());';
      writeFileSync(join(app, 'app/answer/route.js'), `${ROUTE}${GET} export const dynamic = 'force-dynamic';`);
      const next = join(tools, 'node_modules/next/dist/bin/next');
      await printed(app, process.execPath, next, 'build', ...BUNDLER);
      await elsewhere(async (target) => {
        cpSync(join(app, '.next/standalone'), target, { recursive: true });
        const folder = join(target, app.slice(ROOT.length));
        cpSync(join(app, '.next/static'), join(folder, '.next/static'), { recursive: true });
        await serving(folder, 'server.js', async ({ ask, show }) => {
          expect(await ask('/answer')).toEqual({ ...BUNDLED_RESULTS, flows: 'function', bundled: 21 });
          expect(await show()).toEqual(PAGE_TOLD);
        });
      });
    } finally {
      rmSync(app, { recursive: true, force: true });
    }
  },
  LONG_TEST_HANG_MS,
);
