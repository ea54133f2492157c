/**
 * Programs as they are deployed (docs/deploy.md): with the files that a tracer has copied, bundled by Nitro, by bundlers that do not know the
 * condition `module`, and as executables. Each runs outside of the project, with nothing beside it.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import { elsewhere, packTasks, printed, ROUTE, serving } from '../helpers/deployed.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { build, edited, installTools, makeApp, pageFile, pageJson, type Recipe, recipe } from '../helpers/recipes.js';
import { installed } from '../runtimes/install.js';

type Files = Readonly<Record<string, string>>;
type Trace = (files: string[], options: object) => Promise<{ readonly fileList: ReadonlySet<string> }>;

let tools: string;
let bun: string;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  tools = await installTools('hosts');
  bun = installed('bun');
}, LONG_TEST_HANG_MS);

/** Makes an app, gives it to `use`, and deletes it. */
async function withApp<T>(files: Files, use: (app: string) => Promise<T>): Promise<T> {
  const app = makeApp(files, tools);
  try {
    return await use(app);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}

/** Builds a program by all lines of a recipe but the last, takes `dist` to another place, and runs the last line there. */
const follow = (how: Recipe, files: Files): Promise<string> =>
  elsewhere(async (target) => {
    const [program = '', ...args] = (how.build.at(-1) as string).split(' ');
    await withApp(files, async (app) => {
      build({ ...how, build: how.build.slice(0, -1) }, app, { bun });
      cpSync(join(app, 'dist'), join(target, 'dist'), { recursive: true });
    });
    const runtimes: Readonly<Record<string, string>> = { bun, node: process.execPath };
    return printed(target, runtimes[program] ?? join(target, program), ...args);
  });

const RESULTS = `${JSON.stringify(BUNDLED_RESULTS)}\n`;

describe('a tracer of files copies what a program needs', () => {
  test.each([
    ['as Node resolves the package', {}],
    ['as bundlers resolve it', { conditions: ['node', 'import', 'module'] }],
    ['as the builder of Vercel asks it', { ts: true, mixedModules: true, exportsOnly: false }],
  ])('%s', async (_, options) => {
    const { nodeFileTrace } = createRequire(join(tools, '_'))('@vercel/nft') as { nodeFileTrace: Trace };
    await withApp({}, (app) =>
      elsewhere(async (target) => {
        const { fileList } = await nodeFileTrace([join(app, 'main.js')], {
          base: tools,
          processCwd: app,
          ...options,
        });
        for (const file of fileList) cpSync(join(tools, file), join(target, file));
        expect(await printed(join(target, app.slice(tools.length)), process.execPath, 'main.js')).toBe(RESULTS);
      }),
    );
  });
});

describe('the default build of Nitro runs tasks of a package, and inline functions', () => {
  test.each([
    ['nitropack', 'defineEventHandler', ''],
    ['nitro', 'defineHandler', "import { defineHandler } from 'nitro/h3';"],
  ])(
    '%s',
    async (name, handler, imported) => {
      const route = `${imported}${ROUTE}export default ${handler}(answer);`;
      const config = 'export default { compatibilityDate: "2025-01-01" };';
      await withApp({ 'nitro.config.mjs': config }, (app) =>
        elsewhere(async (target) => {
          packTasks(app);
          cpSync(join(app, 'main.js'), join(app, 'routes/main.js'));
          writeFileSync(join(app, 'routes/main.js'), route);
          await printed(app, process.execPath, join(tools, `node_modules/${name}/dist/cli/index.mjs`), 'build');
          cpSync(join(app, '.output'), target, { recursive: true });
          await serving(target, 'server/index.mjs', async ({ ask }) => {
            expect(await ask('/main')).toEqual({ ...BUNDLED_RESULTS, flows: 'function', bundled: 21 });
          });
        }),
      );
    },
    LONG_TEST_HANG_MS,
  );
});

describe('bundlers that do not know the condition `module`', () => {
  const start = { 'start.js': pageFile('start.js') };

  test.each([
    ['one file', 'bun build start.js --target=bun', '', ''],
    ['one file, not minified', 'bun build start.js --target=bun', ' --minify', ''],
    ['an executable', 'bun build start.js --compile', '', ''],
  ])('Bun: %s', async (_, begins, from, to) => {
    const how = recipe(begins, 'docs/deploy.md');
    expect(await follow(from === '' ? how : edited(how, from, to), start)).toBe(RESULTS);
  });

  test('Bun, for Node', async () => {
    const how = edited(recipe('bun build start.js --target=bun', 'docs/deploy.md'), 'target=bun', 'target=node');
    expect(await follow(edited(how, 'bun dist/', 'node dist/'), start)).toBe(RESULTS);
  });

  test.each(['esm', 'cjs'])('esbuild with conditions of its own, %s', async (format) => {
    const how = {
      build: [
        `esbuild start.js --bundle --minify --format=${format} --platform=node --conditions=own --outfile=dist/start.${format === 'esm' ? 'mjs' : 'cjs'}` +
          (format === 'esm' ? '' : ' --define:import.meta.url=__filename'),
        `node dist/start.${format === 'esm' ? 'mjs' : 'cjs'}`,
      ],
      program: undefined,
    };
    expect(await follow(how, start)).toBe(RESULTS);
  });
});

test(
  'a single executable of Node runs tasks in workers that start from a text',
  async () => {
    const heading = 'Node: single executables';
    const files = {
      'pool.js': pageFile('pool.js', 'docs/deploy.md'),
      'pool-worker.js': pageFile('pool-worker.js'),
      'sea-config.json': JSON.stringify(pageJson(heading, 'docs/deploy.md')),
    };
    expect(await follow(recipe('esbuild main.js pool-worker.js', 'docs/deploy.md'), files)).toBe(RESULTS);
  },
  LONG_TEST_HANG_MS,
);
