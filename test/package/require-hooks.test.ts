/**
 * TypeScript programs under the loaders that projects have: of CommonJS, where workers require what was registered by `__filename`, and of ES modules, whose
 * loaders Node does not run in workers by itself.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { runNodeIn } from '../helpers/child-process.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { installTools, makeApp } from '../helpers/recipes.js';

/** Node's own support for TypeScript takes no enums, and resolves no import without its extension. */
const FILES = {
  'package.json': '{ "type": "commonjs" }',
  'tsconfig.json': JSON.stringify({
    'ts-node': { transpileOnly: true },
    compilerOptions: { module: 'commonjs', target: 'es2022', esModuleInterop: true },
  }),
  'grain.ts': 'export enum Grain { Fine = 41, Coarse }',
  'naming.ts': `import { forkable } from 'furcate';
    import { Grain } from './grain';
    export const nameOf = forkable(__filename, 'nameOf', (grain: Grain): string => Grain[grain]);`,
  'program.ts': `import { ForkJoinPool } from 'furcate';
    import { Grain } from './grain';
    import { nameOf } from './naming';
    const pool = new ForkJoinPool({ parallelism: 1, preload: JSON.parse(process.argv[2]) });
    pool.invoke(nameOf, Grain.Coarse).then(console.log, (error: Error) => console.log(error.message)).finally(() => pool.close());`,
  'babel-hook.cjs': `require('@babel/register')({
      extensions: ['.ts', '.js'], presets: [['@babel/preset-env', { targets: { node: 'current' } }], '@babel/preset-typescript'], cache: false });`,
};

let app: string;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  const tools = await installTools('hosts');
  app = makeApp({}, tools);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(app, name), text);
}, LONG_TEST_HANG_MS);

afterAll(() => rmSync(app, { recursive: true, force: true }));

const run = async (options: readonly string[], preload: readonly string[] = []): Promise<string> =>
  (await runNodeIn(app, ...options, 'program.ts', JSON.stringify(preload))).stdout;

test.each(['ts-node/register', '@swc-node/register', 'esbuild-register', './babel-hook.cjs'])(
  'tasks run in workers under node --require %s, whose options workers inherit',
  async (hook) => {
    expect(await run(['--require', hook])).toBe('Coarse\n');
  },
);

test.each([
  ['ts-node', '../../node_modules/ts-node/dist/bin.js', 'ts-node/register'],
  ['jiti', '../../node_modules/jiti/lib/jiti-cli.mjs', 'jiti/register'],
])('tasks run under the command %s with the hook as a preload, and say so without it', async (_, command, hook) => {
  expect(await run([command])).toMatch(/^furcate: a worker cannot load .*preload: \['ts-node\/register'\]/);
  expect(await run([command], [hook])).toBe('Coarse\n');
});

/** The same program as ES modules, which name files as the compiler's output has them. */
const MODULES = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify({
    'ts-node': { transpileOnly: true },
    compilerOptions: { module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022' },
  }),
  'grain.ts': FILES['grain.ts'],
  'naming.ts': FILES['naming.ts'].replace('./grain', './grain.js').replace('__filename', 'import.meta.url'),
  'program.ts': FILES['program.ts'].replace('./grain', './grain.js').replace('./naming', './naming.js'),
};

describe('ES modules', () => {
  let modules: string;

  beforeAll(async () => {
    modules = makeApp(MODULES, await installTools('hosts'));
  }, LONG_TEST_HANG_MS);
  afterAll(() => rmSync(modules, { recursive: true, force: true }));

  const runs = async (options: readonly string[], preload: readonly string[] = []): Promise<string> =>
    (await runNodeIn(modules, ...options, 'program.ts', JSON.stringify(preload))).stdout;

  test.each(['jiti/register', '@swc-node/register/esm-register'])(
    'tasks run under node --import %s with the loader as a preload, and say so without it',
    async (loader) => {
      const told = await runs(['--import', loader]);
      expect(told).toMatch(/^furcate: a worker cannot load /);
      expect(told).toContain(`preload: ['${loader}']`);
      expect(await runs(['--import', loader], [loader])).toBe('Coarse\n');
    },
  );

  test('tasks run under node --loader ts-node/esm, which workers inherit', async () => {
    expect(await runs(['--loader', 'ts-node/esm'])).toBe('Coarse\n');
  });
});
