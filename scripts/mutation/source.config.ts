/**
 * Configures vitest for the stage `source` of scripts/mutate.ts: tests that can run on instrumented sources without a build.
 * StrykerJS's runner runs all projects of a configuration, so this one has no projects.
 */
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { kernelsLiteral } from '../kernels.js';

/** A long limit (ms), because instrumented code is several times slower. StrykerJS stops mutants that hang. */
const TEST_TIMEOUT_MS = 600_000;

export default defineConfig({
  define: { __FURCATE_KERNELS__: await kernelsLiteral() },
  // Conformance tests and their fixtures import the package. Here `furcate` is the source, and its tasks run on this thread.
  resolve: { alias: [{ find: /^furcate$/, replacement: resolve('scripts/mutation/furcate.ts') }] },
  test: {
    env: { FURCATE_EXECUTORS: 'here' },
    server: { deps: { inline: [/\/test\/fixtures\//] } },
    include: (process.env['FURCATE_MUTATION_FILES'] ?? '').split(','),
    setupFiles: ['scripts/mutation/source-setup.ts'],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
  },
});
