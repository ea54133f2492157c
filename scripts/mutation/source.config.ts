/**
 * Vitest for the stage `source` of scripts/mutate.ts: the tests that import `src`, as far as they can run on instrumented
 * code and without a build. StrykerJS's runner runs all projects of a configuration, so this one has none.
 */
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { kernelsLiteral } from '../kernels.js';

/** Instrumented code is several times slower; mutants that hang are stopped by StrykerJS. */
const TEST_TIMEOUT_MS = 600_000;

export default defineConfig({
  define: { __FURCATE_KERNELS__: await kernelsLiteral() },
  // Conformance tests and their fixtures import the package: here that is the source, and its tasks run on this thread.
  resolve: { alias: [{ find: /^furcate$/, replacement: resolve('src/index.ts') }] },
  test: {
    env: { FURCATE_EXECUTORS: 'here' },
    server: { deps: { inline: [/\/test\/fixtures\//] } },
    include: (process.env['FURCATE_MUTATION_FILES'] ?? '').split(','),
    setupFiles: ['scripts/mutation/source-setup.ts'],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
  },
});
