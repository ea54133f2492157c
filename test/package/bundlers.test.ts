/** Follows the recipes of docs/runtimes.md for Node, and leaves out a line of each: the bundle works, or says which line it lacks. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { BUNDLED_RESULTS } from '../helpers/bundled-results.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { edited, follow, installBundlers, pageFile, pageJson, type Recipe, recipe } from '../helpers/recipes.js';

type Files = Readonly<Record<string, string>>;

/** The program of a recipe with `createWorker`. */
const withWorkerFile = (): Files => ({ 'pool.js': pageFile('pool.js'), 'pool-worker.js': pageFile('pool-worker.js') });
const forWebpack = (): Files => ({ ...withWorkerFile(), 'webpack.config.js': pageFile('webpack.config.js') });
/** Without a minifier, which takes webpack some seconds. */
const forWebpackSoon = (): Files => editedFile(forWebpack(), 'webpack.config.js', 'production', 'development');
const manifest = (more: object): Files => ({
  'package.json': JSON.stringify({ private: true, type: 'module', ...more }),
});
const forParcel = (): Files => ({ ...withWorkerFile(), ...manifest(pageJson('Parcel')) });
const forVite = (): Files => ({ 'vite.node.config.js': pageFile('vite.node.config.js') });

const SPLIT = 'esbuild main.js tasks.js';
const ONE_FILE = 'esbuild start.js';

function editedFile(made: Files, name: string, from: string, to: string): Files {
  expect(made[name]).toContain(from);
  return { ...made, [name]: (made[name] as string).replaceAll(from, to) };
}

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  await installBundlers();
}, LONG_TEST_HANG_MS);

describe.each<[bundler: string, begins: string, made: () => Files, dev: (how: Recipe, made: Files) => [Recipe, Files]]>(
  [
    ['esbuild', SPLIT, () => ({}), (how, made) => [edited(how, ' --minify', ''), made]],
    [
      'esbuild, to CommonJS',
      ONE_FILE,
      () => ({ 'start.js': pageFile('start.js') }),
      (how, made) => [edited(how, ' --minify', ''), made],
    ],
    ['Rolldown', 'rolldown main.js tasks.js', () => ({}), (how, made) => [edited(how, ' --minify', ''), made]],
    ['Rollup', 'rollup main.js tasks.js', () => ({}), (how, made) => [edited(how, ' --plugin terser', ''), made]],
    [
      'Vite',
      'vite build --config',
      forVite,
      (how, made) => [
        edited(how, 'vite build', 'vite build --mode development'),
        editedFile(made, 'vite.node.config.js', ' minify: true,', ''),
      ],
    ],
    [
      'webpack',
      'webpack',
      forWebpack,
      (how, made) => [how, editedFile(made, 'webpack.config.js', 'production', 'development')],
    ],
    [
      'Rspack',
      'rspack build --config',
      forWebpack,
      (how, made) => [how, editedFile(made, 'webpack.config.js', 'production', 'development')],
    ],
    [
      'Parcel',
      'parcel build main.js',
      forParcel,
      (how, made) => [how, editedFile(made, 'package.json', '"optimize":true', '"optimize":false')],
    ],
  ],
)('the recipe for %s', (_, begins, made, dev) => {
  test.each(['production', 'development'])(
    'gives a program that runs without its sources, and prints nothing else (%s)',
    async (mode) => {
      const how = recipe(begins);
      const [recipeOf, files] = mode === 'production' ? [how, made()] : dev(how, made());
      const { built, ran } = await follow(recipeOf, files);
      expect(built).not.toMatch(/warn/i);
      expect({ ...ran, stdout: JSON.parse(ran.stdout) as unknown }).toEqual({
        code: 0,
        stdout: BUNDLED_RESULTS,
        stderr: '',
      });
    },
  );
});

describe('a bundle that lacks a line of its recipe', () => {
  const said = async (how: Recipe, made: Files): Promise<string> => {
    const { stdout, stderr } = (await follow(how, made)).ran;
    return stdout + stderr;
  };
  const CURE = "createWorker: () => new Worker(new URL('./pool-worker.js', import.meta.url), { type: 'module' })";

  test('esbuild, to CommonJS: says what to define', async () => {
    const how = edited(recipe(ONE_FILE), '--define:import.meta.url=__filename', '--log-level=error');
    expect(await said(how, { 'start.js': pageFile('start.js') })).toContain('--define:import.meta.url=__filename');
  });

  describe('in one file, with the program', () => {
    const START = /: if \(isMainThread\) \{ \.\.\. \}/;
    const how = (): Recipe => edited(recipe(ONE_FILE), 'esbuild start.js', 'esbuild main.js');

    test('works if the tasks come first, with a warning that says how to start the program on the main thread only', async () => {
      const main = "import './tasks.js'; import { pool } from './pool.js'; import { run } from './run.js';";
      const { ran } = await follow(how(), {
        'main.js': `${main} run(pool).then((got) => console.log(JSON.stringify(got)));`,
      });
      expect(JSON.parse(ran.stdout)).toEqual(BUNDLED_RESULTS);
      expect(
        ran.stderr.match(new RegExp(`furcate: a worker imported .*start\\.cjs.*${START.source}`, 'g')),
      ).toHaveLength(1);
    });

    test('says the same in the error if the program comes first', async () => {
      const { ran } = await follow(how());
      expect(ran.stdout).toMatch(new RegExp(`cannot load the class 'Fib': .*${START.source}`));
    });
  });

  test.each([
    ['webpack', 'webpack', forWebpackSoon],
    ['Rspack', 'rspack build --config', forWebpackSoon],
    ['Parcel', 'parcel build main.js', forParcel],
  ])('%s: says how to write createWorker', async (_, begins, made) => {
    const { 'pool.js': _pool, ...files } = made();
    expect(await said(recipe(begins), files)).toContain(CURE);
  });

  test('webpack: says from where to import Worker', async () => {
    const files = editedFile(forWebpackSoon(), 'pool.js', "'worker_threads'", "'node:worker_threads'");
    expect(await said(recipe('webpack'), files)).toContain("import Worker from 'worker_threads'");
  });

  test('a worker file that does not import the tasks: says that it must', async () => {
    const files = editedFile(forWebpackSoon(), 'pool-worker.js', "import './tasks.js';", '');
    expect(await said(recipe('rspack build --config'), files)).toMatch(/import the module that registers 'Fib' there/);
  });
});

describe('names that esbuild keeps in minified code', () => {
  const keeping = (how: Recipe): Recipe => edited(how, '--minify', '--minify --keep-names');

  test('do not keep inline functions from working', async () => {
    const { ran } = await follow(keeping(recipe(ONE_FILE)), { 'start.js': pageFile('start.js') });
    expect({ ...ran, stdout: JSON.parse(ran.stdout) as unknown }).toEqual({
      code: 0,
      stdout: BUNDLED_RESULTS,
      stderr: '',
    });
  });

  test('do so in a bundle of several files, or the error says what to turn off', async () => {
    // It depends on the names that the minifier happens to give the helper in each file.
    const { code, stdout } = (await follow(keeping(recipe(SPLIT)), {})).ran;
    expect(code).toBe(0);
    if (stdout.startsWith('{')) expect(JSON.parse(stdout)).toEqual(BUNDLED_RESULTS);
    else
      expect(stdout).toMatch(
        /captured variable \(by its look, the helper with which a bundler keeps the names .* without splitting\)/,
      );
  });
});
