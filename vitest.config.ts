import { defineConfig } from 'vitest/config';
import { kernelsLiteral } from './scripts/kernels.js';

/** Tests of the source: no build, no threads. */
const SOURCE_TESTS = [
  'test/unit/**/*.test.ts',
  'test/property/**/*.test.ts',
  'test/model/**/*.test.ts',
  'test/*.test.ts',
];

/** Limits of one test, in milliseconds: a worker that never answers should fail the run, not hang it. */
const TEST_TIMEOUT_MS = 20_000;

const common = {
  pool: 'forks',
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  retry: 0,
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        define: { __FURCATE_KERNELS__: await kernelsLiteral() },
        test: { ...common, name: 'source', include: SOURCE_TESTS },
      },
      {
        test: {
          ...common,
          name: 'built',
          include: ['test/**/*.test.ts'],
          exclude: SOURCE_TESTS,
          globalSetup: ['test/helpers/global-setup.ts'],
          // Node itself loads the build and the .mjs fixtures, as it does for users: vite would rewrite their imports.
          server: { deps: { external: [/\/dist\/[^/]+\.c?js$/, /\/\.build\/.*\.js$/, /\/test\/.*\.mjs$/] } },
        },
      },
    ],
  },
});
