import { defineConfig } from 'vitest/config';
import { kernelsLiteral } from './scripts/kernels.js';
import { TEST_HANG_MS } from './test/helpers/limits.js';

/** Tests of the source: no build, no threads. */
const SOURCE_TESTS = [
  'test/unit/**/*.test.ts',
  'test/property/**/*.test.ts',
  'test/model/**/*.test.ts',
  'test/*.test.ts',
];

const common = {
  pool: 'forks',
  testTimeout: TEST_HANG_MS,
  hookTimeout: TEST_HANG_MS,
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
