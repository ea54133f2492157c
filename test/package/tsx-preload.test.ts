import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furcate-tsx-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A program whose worker imports a preload module and then a TypeScript file with an enum, which needs a loader. */
const workerThatImports = (preload: string, module: string): string => `
  import { Worker } from 'node:worker_threads';
  const code = \`(async () => {
    ${preload}
    const { Grain } = await import(\${JSON.stringify(${JSON.stringify(module)})});
    console.log(Grain.Fine);
  })()\`;
  new Worker(code, { eval: true });
`;

test('furcate/tsx lets a worker import TypeScript', async () => {
  const module = join(folder, 'grain.mts');
  writeFileSync(module, 'export enum Grain { Fine = 41, Coarse }');
  const program = workerThatImports("await import('furcate/tsx');", module);
  expect(await runNode('--input-type=module', '-e', program)).toEqual({ code: 0, stdout: '41\n', stderr: '' });

  const without = await runNode('--input-type=module', '-e', workerThatImports('', module));
  expect(without.code).not.toBe(0);
});

test('require resolves furcate/tsx too', async () => {
  const { stdout } = await runNode('-p', "require.resolve('furcate/tsx')");
  expect(stdout.trim()).toBe(join(ROOT, 'dist/tsx.js'));
});

test('the error of furcate/tsx without tsx says what to install', async () => {
  const lonely = join(folder, 'tsx-preload.mjs');
  const copy = `import { copyFileSync } from 'node:fs';
    copyFileSync(${JSON.stringify(join(ROOT, 'dist/tsx.js'))}, ${JSON.stringify(lonely)});
    await import(${JSON.stringify(lonely)});`;
  const { code, stderr } = await runNode('--input-type=module', '-e', copy);
  expect(code).not.toBe(0);
  expect(stderr).toContain("the package 'tsx' is not installed");
  expect(stderr).toContain('npm install --save-dev tsx');
});

const TSX = join(ROOT, 'node_modules/tsx/dist/cli.mjs');

/** A forkable that uses an enum, each in its own module, and the program that runs it. Neither names a loader. */
const TASKS = `
  import { forkable } from 'furcate';
  import { Grain } from './grain.js';
  export const nameOf = forkable(MODULE, 'nameOf', (grain: Grain): string => Grain[grain]);
`;
const MAIN = `
  import { ForkJoinPool } from 'furcate';
  import { Grain } from './grain.js';
  import { nameOf } from './tasks.js';
  const options = JSON.parse(process.argv[2]!);
  const pool = options === 'common' ? ForkJoinPool.commonPool() : new ForkJoinPool(options);
  pool.invoke(nameOf, Grain.Coarse).then(console.log, (error: Error) => console.log(error.message)).finally(() => pool.close());
`;

describe.each([
  ['ES modules', 'module', 'import.meta.url'],
  ['CommonJS', 'commonjs', '__filename'],
])('a TypeScript program of %s, run by tsx,', (_name, type, module) => {
  let main: string;

  beforeAll(() => {
    const program = join(folder, type);
    mkdirSync(join(program, 'node_modules'), { recursive: true });
    symlinkSync(ROOT, join(program, 'node_modules/furcate'));
    writeFileSync(join(program, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(program, 'grain.ts'), 'export enum Grain { Fine = 41, Coarse }');
    writeFileSync(join(program, 'tasks.ts'), TASKS.replace('MODULE', module));
    main = join(program, 'main.ts');
    writeFileSync(main, MAIN);
  });

  const run = (how: readonly string[], options: unknown): ReturnType<typeof runNode> =>
    runNode(...how, main, JSON.stringify(options));
  const printed = (stdout: string): unknown => ({ code: 0, stdout, stderr: '' });

  test.each([
    ['the common pool', 'common'],
    ['a new pool', { parallelism: 2 }],
    ['a pool that preloads furcate/tsx', { parallelism: 1, preload: ['furcate/tsx'] }],
  ])('runs its tasks in %s', async (_name, options) => {
    expect(await run([TSX], options)).toEqual(printed('Coarse\n'));
  });

  test('runs its tasks if Node loads tsx by --import', async () => {
    expect(await run(['--import', 'tsx'], { parallelism: 1 })).toEqual(printed('Coarse\n'));
  });
});

test.each([
  ['run if the options load tsx', ['--no-warnings', '--import', 'tsx'], /^Coarse\n$/],
  [
    'fail with a remedy if the options do not load tsx',
    [],
    /^furcate: a worker .* 'nameOf'.*preload: \['furcate\/tsx'\]/,
  ],
])('TypeScript tasks in workers with their own Node options %s', async (_name, execArgv, message) => {
  const options = JSON.stringify({ parallelism: 1, node: { execArgv } });
  const { code, stdout } = await runNode(TSX, join(folder, 'module/main.ts'), options);
  expect(code).toBe(0);
  expect(stdout).toMatch(message);
});

test('a loop with an inline function, run by tsx, does not load tsx in its workers, which import nothing', async () => {
  const main = join(folder, 'module/inline.ts');
  writeFileSync(
    main,
    `import { ForkJoinPool, parallelFor, sharedArray } from 'furcate';
    const pool = new ForkJoinPool({ parallelism: 1 });
    const registered = sharedArray(Int32Array, 100);
    const look = (i: number, { registered }: { registered: Int32Array }) => {
      registered[i] = Object.keys((process.getBuiltinModule('node:module') as any)._extensions).includes('.tsx') ? 2 : 1;
    };
    await parallelFor(100, look, { pool, context: { registered }, threshold: 10 });
    console.log([...new Set(registered)]);
    await pool.close();`,
  );
  expect((await runNode('--import', 'tsx', main)).stdout).toBe('[ 1 ]\n');
});
