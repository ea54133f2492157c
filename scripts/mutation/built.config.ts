/**
 * Configures vitest for the stage `built` of scripts/mutate.ts: the project `built`, one file at a time in the order that
 * built-runner.ts chooses, until the first failure.
 */
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import config from '../../vitest.config.js';

const FILES = (process.env['FURCATE_MUTATION_FILES'] ?? '').split(',');

/** No time limit: the runner ends files that hang, by limits that follow from each file's usual time. */
const NO_LIMIT_MS = 3_600_000;

class InGivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => FILES.findIndex((file) => moduleId.endsWith(`/${file}`));
    return files.sort((a, b) => place(a) - place(b));
  }
}

/** Exits at the first failure, without waiting for threads that a mutant keeps busy. The runner ends the process group. */
class UntilFirstFailure implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== 'failed') return;
    console.error(`${test.fullName}\n${result.errors.map(({ message }) => message).join('\n')}`);
    process.exit(1);
  }

  onTestModuleEnd(module: TestModule): void {
    if (module.ok()) {
      console.log(`done ${module.relativeModuleId}`);
      return;
    }
    console.error(module.errors().map(({ message }) => message));
    process.exit(1);
  }

  onTestRunEnd(_: unknown, errors: readonly SerializedError[]): void {
    for (const { message } of errors) console.error(`outside of tests: ${message}`);
  }
}

const projects = config.test?.projects as readonly ViteUserConfig[];
const built = projects.find(({ test }) => test?.name === 'built') as ViteUserConfig;

export default defineConfig({
  ...built,
  test: {
    ...built.test,
    include: FILES,
    exclude: [],
    // Each mutant runs the tests again, so they have fewer executors and shorter properties than in `npm test`.
    env: { FURCATE_EXECUTORS: 'pair' },
    setupFiles: ['test/helpers/short-properties.ts'],
    testTimeout: NO_LIMIT_MS,
    hookTimeout: NO_LIMIT_MS,
    bail: 1,
    fileParallelism: false,
    sequence: { sequencer: InGivenOrder },
    reporters: [new UntilFirstFailure()],
  },
});
