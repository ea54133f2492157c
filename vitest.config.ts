import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { kernelsLiteral } from './scripts/kernels.js';
import { TEST_HANG_MS } from './test/helpers/limits.js';

/**
 * `npm run test:fast`: the unit tests, each property for a part of its runs, the model with one preemption at most, and some
 * files with real pools.
 */
const isFast = process.env['FURCATE_TESTS'] === 'fast';

/** Tests of the source: no build, no threads. */
const SOURCE_TESTS = ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts', 'test/*.test.ts'];

/** How files replace modules and globals: by themselves, or by a helper that does so for whoever imports it. */
const REPLACES = /\bvi\.(mock|resetModules|stubGlobal)\(|\/(in-simulated-core|guarded-memory|second-realm)\.js'/;

/** Those of the tests of the source that replace something of their process: each has its own. */
const replacingTests = ['test/unit', 'test/property']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
  .filter((file) => file.endsWith('.test.ts') && REPLACES.test(readFileSync(file, 'utf8')));

/** The models of the source, which explore its schedules. */
const MODEL_TESTS = ['test/model/**/*.test.ts'];

const SLOW_SOURCE_TESTS = [
  'test/model/mutations.test.ts',
  'test/property/algorithms/bucket-sort.test.ts',
  'test/property/algorithms/handover.test.ts',
  'test/property/core/memory/heap-repair.test.ts',
];

const BUILT_TESTS = isFast
  ? ['test/conformance/{bad-input,classes,common-pool,freed-arrays,nesting}.test.ts']
  : ['test/**/*.test.ts'];

const setupFiles = isFast ? ['test/helpers/short-properties.ts'] : [];

const common = {
  pool: 'forks',
  testTimeout: TEST_HANG_MS,
  hookTimeout: TEST_HANG_MS,
  retry: 0,
  setupFiles,
  ...(isFast ? { env: { FURCATE_MODEL: 'short' } } : {}),
} as const;

const kernels = await kernelsLiteral();

export default defineConfig({
  test: {
    // One more than there are cores: tests of clusters and packages wait for other processes for half of their time.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        define: { __FURCATE_KERNELS__: kernels },
        test: {
          ...common,
          name: 'source',
          include: SOURCE_TESTS,
          exclude: [...replacingTests, ...(isFast ? SLOW_SOURCE_TESTS : [])],
          // To start a process takes longer than most of these files.
          isolate: false,
          setupFiles: [...setupFiles, 'test/helpers/fresh-modules.ts'],
        },
      },
      {
        define: { __FURCATE_KERNELS__: kernels },
        test: {
          ...common,
          name: 'source-alone',
          include: replacingTests,
          exclude: isFast ? SLOW_SOURCE_TESTS : [],
        },
      },
      {
        test: {
          ...common,
          name: 'model',
          include: MODEL_TESTS,
          exclude: isFast ? SLOW_SOURCE_TESTS : [],
          // Node itself loads all but the test files. Vite makes each import a getter, and exploring would take half as long again.
          // Schedules and orders leave much garbage, of which more is dead when it is looked for less often.
          execArgv: ['--import', 'tsx', '--max-semi-space-size=64'],
          server: { deps: { external: [/\/test\/model\/[a-z]+\//, /\/src\//] } },
        },
      },
      {
        test: {
          ...common,
          name: 'built',
          include: BUILT_TESTS,
          exclude: [...SOURCE_TESTS, ...MODEL_TESTS],
          globalSetup: ['test/helpers/global-setup.ts'],
          // Node itself loads the build and the .mjs fixtures, as it does for users: vite would rewrite their imports.
          server: { deps: { external: [/\/dist\/[^/]+\.c?js$/, /\/\.build\/.*\.js$/, /\/test\/.*\.mjs$/] } },
        },
      },
    ],
  },
});
