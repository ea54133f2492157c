/** Which files run on which hosts. */
import { isBrowser } from './capabilities.js';
import { HOST_NAMES } from './hosts.js';
import { RUNNING_NODE } from './install.js';
import { filesOf, SUITES, type Suite } from './suites.js';

/** The options of the command line that select. */
export interface Selection {
  readonly only?: string | undefined;
  readonly suite?: string | undefined;
  readonly file?: string | undefined;
  readonly ci?: boolean | undefined;
}

export interface Step {
  readonly host: string;
  readonly suite: Suite;
  readonly file: string;
}

export interface Plan {
  /** File by file, so that each file is tried on all hosts before the next one. */
  readonly steps: readonly Step[];
  /** Variables of the environment for the tests. */
  readonly variables: Readonly<Record<string, string>>;
}

/** One way to run tasks of each kind, and a part of the runs of each property: a tenth of the time on each host. */
const SHORT = { FURCATE_EXECUTORS: 'few', FURCATE_PART_OF_RUNS: '0.05' };

/** Suites whose tests end threads by `process.exit` and the like, which browsers have not. */
const NEEDS_PROCESS: ReadonlySet<Suite> = new Set<Suite>(['faults']);

/** In CI, these stand for their suites: one with random programs, and what a page does that a worker does not do as well. */
const CI_STRESS = /random-trees/;
const CI_PAGE = /\/(blocking|cancellation-reasons|loops|sequential|values)\.test\.ts$|\/users\//;

/** They take turns in CI: each file of the conformance tests runs on one of them, and every third one on a newer Node. */
const BY_TURNS = ['bun', 'deno', 'chromium-worker'];

/** What runs for every change, in some six minutes on two cores. On the Node that runs this, `npm test` has run the other suites. */
const inCi = ({ host, suite, file }: Step): boolean => {
  if (host === RUNNING_NODE) return suite === 'users';
  if (!['node-20', 'node-24', 'bun', 'deno', 'chromium-page', 'chromium-worker'].includes(host)) return false;
  if (host === 'chromium-page') return CI_PAGE.test(file) && (suite === 'conformance' || suite === 'users');
  if (suite === 'conformance') {
    const left = filesOf(suite).indexOf(file) % BY_TURNS.length;
    return host === BY_TURNS[left] || (host === 'node-24' && left === BY_TURNS.length - 1);
  }
  return suite === 'users' || (suite === 'stress' && CI_STRESS.test(file));
};

/** Names with commas; each stands for itself, or for all that begin with it and a hyphen. */
function selected<T extends string>(option: string, all: readonly T[], given: string | undefined): readonly T[] {
  if (given === undefined) return all;
  return given.split(',').flatMap((name) => {
    const found = all.filter((each) => each === name || each.startsWith(`${name}-`));
    if (found.length > 0) return found;
    throw new Error(`--${option} takes some of ${all.join(', ')}, with commas between them, and got '${name}'`);
  });
}

export function planOf({ only, suite, file = '', ci = false }: Selection): Plan {
  const hosts = selected('only', HOST_NAMES, only);
  const all = selected<Suite>('suite', SUITES, suite).flatMap((each) =>
    filesOf(each)
      .filter((path) => path.includes(file))
      .flatMap((path) =>
        hosts
          .filter((host) => !NEEDS_PROCESS.has(each) || !isBrowser(host))
          .map((host): Step => ({ host, suite: each, file: path })),
      ),
  );
  const steps = ci ? all.filter(inCi) : all;
  if (steps.length === 0) throw new Error(`no host and no test file are selected; --file was '${file}'`);
  return { steps, variables: ci ? SHORT : {} };
}
