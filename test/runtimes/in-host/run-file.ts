/** Runs the tests of one file on this host, with vitest's own runner, and tells the harness of each. */
import { type File, startTests, type Test, type VitestRunner } from '@vitest/runner';
import { getTests } from '@vitest/runner/utils';
import { withPartOfRuns } from '../../helpers/short-runs.js';
import type { Order, Tell } from './events.js';
import { Modules, type ModulesOptions, type Namespace } from './modules.js';

/** The variable that says which part of its runs each property has. */
const PART_OF_RUNS = 'FURCATE_PART_OF_RUNS';

/** What vitest's functions for tests read of the thread that they run in. */
const workerState = (modules: Modules, file: string, env: object): object => ({
  config: { snapshotOptions: {}, expect: {}, fakeTimers: { loopLimit: 10_000, shouldClearNativeTimers: true } },
  filepath: file,
  metaEnv: env,
  evaluatedModules: modules,
  resolvingModules: new Set(),
});

export const textOf = (error: unknown): string => {
  const { message, stack, diff, cause } = error as { message?: string; stack?: string; diff?: string; cause?: unknown };
  if (message === undefined && stack === undefined) return String(error);
  // Other engines' stacks do not begin with the message.
  const where = stack === undefined || stack.includes(String(message)) ? stack : `${message}\n${stack}`;
  return [where ?? message, diff, cause === undefined ? undefined : `caused by ${textOf(cause)}`]
    .filter((each) => each !== undefined && each !== '')
    .join('\n');
};

const fullName = (test: Test): string => {
  const names: string[] = [];
  for (let at: { name: string; suite?: { name: string } } | undefined = test; at !== undefined; at = at.suite as never)
    names.unshift(at.name);
  return names.join(' > ');
};

/** Tests of the whole file that come to nothing because a hook or the file itself fails. */
const strayErrors = (file: File): unknown[] => {
  const found: unknown[] = [];
  const visit = (task: { type: string; result?: { errors?: unknown[] }; tasks?: unknown[] }): void => {
    if (task.type !== 'suite') return;
    found.push(...(task.result?.errors ?? []));
    for (const each of task.tasks ?? []) visit(each as never);
  };
  visit(file as never);
  return found;
};

export async function runFile(order: Order, options: Omit<ModulesOptions, 'own'>, tell: Tell): Promise<void> {
  const env = (globalThis as { process?: { env?: Record<string, string> } }).process?.env ?? {};
  const vitest = (): Promise<Namespace> => import('vitest') as never;
  const part = Number(order.variables[PART_OF_RUNS] ?? 1);
  const shortFastCheck = async (): Promise<Namespace> => withPartOfRuns((await import('fast-check')).default, part);
  const modules = new Modules({ ...options, own: { vitest, ...(part < 1 ? { 'fast-check': shortFastCheck } : {}) } });
  Object.assign(globalThis, {
    __vitest_worker__: workerState(modules, order.file, env),
    __vitest_mocker__: modules.mocker,
  });
  const skipped = new Set(order.skipped);
  const numbers = new Map<Test, number>();
  const { expect } = await import('vitest');
  const runner: VitestRunner = {
    config: {
      root: '/',
      setupFiles: [],
      name: undefined,
      passWithNoTests: true,
      testNamePattern: undefined,
      allowOnly: false,
      sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
      chaiConfig: undefined,
      maxConcurrency: 1,
      testTimeout: order.timeoutMs,
      hookTimeout: order.timeoutMs,
      retry: 0,
      includeTaskLocation: false,
      tags: [],
      tagsFilter: undefined,
      strictTags: false,
    },
    importFile: (file) => modules.load(file),
    onCollected: ([file]: File[]) => {
      const tests = getTests(file as File);
      const pattern = new RegExp(order.pattern ?? '');
      const impossible = order.impossible.map((each) => new RegExp(each));
      tests.forEach((test, i) => {
        numbers.set(test, i);
        const name = fullName(test);
        if (skipped.has(i) || !pattern.test(name) || impossible.some((each) => each.test(name))) test.mode = 'skip';
      });
      tell({ type: 'collected', tests: tests.map(fullName) });
    },
    onBeforeTryTask: (test) => {
      expect.setState({ assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false });
      expect.setState({ currentTestName: fullName(test) });
    },
    onBeforeRunTask: (test) => {
      if (test.mode === 'run' || test.mode === 'queued')
        tell({ type: 'begin', test: numbers.get(test) as number, timeoutMs: test.timeout });
    },
    onAfterTryTask: () => {
      const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions } = expect.getState();
      if (isExpectingAssertions && assertionCalls === 0) throw new Error('the test made no assertion');
      if (expectedAssertionsNumber !== null && expectedAssertionsNumber !== assertionCalls)
        throw new Error(`the test made ${assertionCalls} assertions instead of ${expectedAssertionsNumber}`);
    },
    onAfterRunTask: (test) => {
      const { state, errors } = test.result ?? {};
      if (state !== 'pass' && state !== 'fail') return;
      tell({
        type: 'end',
        test: numbers.get(test) as number,
        state: state === 'pass' ? 'passed' : 'failed',
        errors: (errors ?? []).map(textOf),
      });
    },
  };
  const [file] = await startTests([order.file], runner);
  for (const error of strayErrors(file as File)) tell({ type: 'stray', error: textOf(error) });
  tell({ type: 'done' });
}
