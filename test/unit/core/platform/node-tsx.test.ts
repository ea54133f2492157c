import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FlaggedProcess, tsxAmong, tsxFor } from '../../../../src/core/platform/node-tsx.js';

const require = createRequire(import.meta.url);
const here = process.cwd();
const elsewhere = '/nowhere';
const preflight = require.resolve('tsx/preflight');
const loader = pathToFileURL(require.resolve('tsx')).href;
const found = ['cjs', 'esm'].map((kind) => loader.replace(/loader\.mjs$/, `${kind}/api/index.mjs`));

const started = (
  execArgv: string[],
  options: { nodeOptions?: string; cwd?: string; main?: string } = {},
): FlaggedProcess => ({
  execArgv,
  argv: ['node', options.main ?? `${elsewhere}/main.ts`],
  env: { NODE_OPTIONS: options.nodeOptions },
  cwd: () => options.cwd ?? elsewhere,
});

test.each([
  ['its command', ['--require', preflight, '--import', loader]],
  ['its command, in one word each', [`--require=${preflight}`, `--import=${loader}`]],
  ['its files on Windows', ['--import', 'file:///C:/app/node_modules/tsx/dist/loader.mjs']],
  ['its name', ['--import', 'tsx']],
  ['its name in one word', ['--expose-gc', '--import=tsx']],
  ['its part for ES modules', ['--import', 'tsx/esm']],
  ['its part for CommonJS', ['-r', 'tsx/cjs']],
  ['an old way', ['--experimental-loader', 'tsx']],
])('a process under tsx is known by %s', (_name, execArgv) => {
  expect(tsxAmong(execArgv)).toBeDefined();
});

test.each([
  [['--conditions', 'tsx']],
  [['--import', './tsx.mjs', '--require', 'tsx-like']],
  [['--import', 'file:///home/someone/tsx/setup.mjs']],
  [['--title=tsx', '--import']],
])('a process with %j is not under tsx', (execArgv) => {
  expect(tsxAmong(execArgv)).toBeUndefined();
});

test('whatever the options are, the search ends without an error', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('--import', '-r', '--require=', 'tsx', '--import=tsx/', '"', '\\'),
  );
  fc.assert(
    fc.property(fc.array(word), fc.array(word), (execArgv, words) => {
      tsxFor(started(execArgv, { nodeOptions: words.join(' ') }));
    }),
  );
});

test.each([
  ['by its own files, wherever the program is', started(['--require', preflight, '--import', loader])],
  ['by its name, from the working directory', started(['--import', 'tsx'], { cwd: here })],
  ['by its name, from the main module', started(['--import', 'tsx'], { main: `${here}/main.ts` })],
  ['by NODE_OPTIONS', started([], { nodeOptions: '--expose-gc --import tsx', cwd: here })],
  ['by NODE_OPTIONS with quotes', started([], { nodeOptions: '--title "a \\" b" "--import=tsx"', cwd: here })],
])('tsx is found %s', (_name, process) => {
  expect(tsxFor(process)).toEqual(found);
});

test('where tsx is not wanted or not to be found, nothing is registered', () => {
  const under = started(['--import', loader]);
  expect(tsxFor(started([], { cwd: here }))).toBeUndefined();
  expect(tsxFor(started(['--import', 'tsx']))).toBeUndefined(); // neither here nor there
  expect(tsxFor(under, [])).toBeUndefined(); // the worker's options are its own
  expect(tsxFor(started([]), ['--import', loader])).toEqual(found);
  for (const preload of ['furcate/tsx', 'tsx/esm/api', loader, 'file:///app/node_modules/furcate/dist/tsx.js']) {
    expect(tsxFor(under, undefined, ['./first.mjs', preload])).toBeUndefined();
  }
  expect(tsxFor(under, undefined, ['./tsx.mjs', 'file:///home/tsx/setup.mjs'])).toEqual(found);
});

test('a process without options is not looked into', () => {
  const none = { ...started([]), cwd: () => expect.unreachable(), env: {} };
  expect(tsxFor(none)).toBeUndefined();
});
