/**
 * A StrykerJS test runner for tests of the built package. The build is made from instrumented sources, so a mutant is active on every
 * thread. For StrykerJS, each test file is one test.
 *
 * StrykerJS's own vitest runner does not work here. It runs test files on worker threads, while the library needs a main thread, and
 * it activates the mutant only on the thread of the test. So this runner starts vitest in a new process for each mutant. The
 * environment tells all threads of the process which mutant is active. If a mutant hangs, the runner kills the process group.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from '@stryker-mutator/api/test-runner';
import type { Settings } from './settings.js';

/** How long vitest may take to start, and how long a file may exceed its limit `SLOWER` (ms). */
const START_LIMIT_MS = 20_000;
const SLACK_MS = 10_000;
/** How many times its usual time a file may take, because the machine may be busier than before. */
const SLOWER = 4;
const DRY_RUN_LIMIT_MS = 300_000;

/** The line that built.config.ts prints after each test file. */
const DONE = /^done (.+)$/gm;

/** The helpers that StrykerJS puts at the top of each module: three functions, the last of which is `stryMutAct_9fa48`. */
const HELPERS = /function stryNS_9fa48\(\) \{[\s\S]*?\nfunction stryMutAct_9fa48\(id\) \{[\s\S]*?\n\}\n/;

/**
 * The helpers as globals. The library compiles some functions again from their text, and such functions cannot see names of their
 * module. `stryCov_9fa48` writes each mutant to a file when its realm first reaches it, so threads need not report coverage.
 */
const GLOBALS = `
globalThis.stryNS_9fa48 ??= (() => { const ns = (globalThis.__stryker__ ??= {}); return () => ns; })();
globalThis.stryCov_9fa48 ??= (() => {
  const file = globalThis.process?.env?.FURCATE_COVERAGE_FILE;
  if (!file) return () => {};
  const met = new Set();
  const fs = globalThis.process.getBuiltinModule('node:fs');
  return (...ids) => {
    const fresh = ids.filter((id) => !met.has(id));
    for (const id of fresh) met.add(id);
    if (fresh.length > 0) fs.appendFileSync(file, fresh.join('\\n') + '\\n');
  };
})();
globalThis.stryMutAct_9fa48 ??= (() => {
  const active = globalThis.process?.env?.__STRYKER_ACTIVE_MUTANT__;
  return (id) => id === active;
})();
`;

const BUILD = "import { ensureBuild } from './scripts/build.ts'; await ensureBuild();";

/** File with the usual times of test files, for the runner that StrykerJS starts after it has ended one. */
const USUAL = 'usual-times.json';

interface Run {
  readonly status: 'passed' | 'failed' | 'hung';
  readonly output: string;
  readonly tookMs: number;
}

export class BuiltTestRunner implements TestRunner {
  static inject = tokens(commonTokens.options);
  private readonly testFiles: readonly string[];
  private readonly skippedFile: string;
  /** Usual time by test file. */
  private readonly usualMs = new Map<string, number>();
  /** How many mutants of a source file each test file has killed. Successful test files run first. */
  private readonly kills = new Map<string, number>();
  private child: ChildProcess | undefined;

  constructor(options: StrykerOptions) {
    const settings = options['furcate'] as Settings;
    this.testFiles = settings.testFiles;
    this.skippedFile = settings.skippedFile;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    for (const entry of readdirSync('src', { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, 'utf8');
      if (!text.includes('stryMutAct_9fa48(') || text.includes(GLOBALS)) continue;
      if (!HELPERS.test(text)) throw new Error(`${path}: the helpers of StrykerJS have changed: adapt HELPERS`);
      writeFileSync(
        path,
        text.replace(HELPERS, () => GLOBALS),
      );
    }
    // Builds now, so that the time of the first test file does not include the build.
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', BUILD], { stdio: 'inherit' });
    if (existsSync(USUAL)) {
      const usual = JSON.parse(readFileSync(USUAL, 'utf8')) as Record<string, number>;
      for (const [file, ms] of Object.entries(usual)) this.usualMs.set(file, ms);
    }
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: TestResult[] = [];
    const perTest: Record<string, Record<string, number>> = {};
    const coverageFile = resolve('coverage.txt');
    for (const file of this.testFiles) {
      rmSync(coverageFile, { force: true });
      const run = await this.run([file], { FURCATE_COVERAGE_FILE: coverageFile });
      if (run.status !== 'passed') {
        // This file would seem to kill every mutant, so the run continues without it, and reports that at its end.
        appendFileSync(this.skippedFile, `${file} ${run.status} without a mutant: ${run.output.slice(-500)}\n`);
        continue;
      }
      const ids = existsSync(coverageFile) ? readFileSync(coverageFile, 'utf8').split('\n') : [];
      perTest[file] = Object.fromEntries(ids.filter((id) => id !== '').map((id) => [id, 1]));
      this.usualMs.set(file, run.tookMs);
      tests.push({
        id: file,
        name: file,
        fileName: resolve(file),
        timeSpentMs: run.tookMs,
        status: TestStatus.Success,
      });
    }
    rmSync(coverageFile, { force: true });
    writeFileSync(USUAL, JSON.stringify(Object.fromEntries(this.usualMs)));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: { perTest, static: {} } };
  }

  async mutantRun({ testFilter, activeMutant, sandboxFileName }: MutantRunOptions): Promise<MutantRunResult> {
    const killsOf = (file: string): number => this.kills.get(`${sandboxFileName} ${file}`) ?? 0;
    const value = (file: string): number => (killsOf(file) + 1) / (this.usualMs.get(file) as number);
    const files = [...(testFilter ?? this.usualMs.keys())].sort((a, b) => value(b) - value(a));
    const env = { __STRYKER_ACTIVE_MUTANT__: activeMutant.id };
    for (let from = 0; from < files.length; ) {
      const run = await this.run(files.slice(from), env);
      if (run.status === 'passed') break;
      const at = Math.min(from + [...run.output.matchAll(DONE)].length, files.length - 1);
      const killer = files[at] as string;
      // A busy machine may look like a hang, so only a file that takes too long twice kills.
      if (run.status === 'hung' && (await this.run([killer], env)).status === 'passed') {
        from = at + 1;
        continue;
      }
      this.kills.set(`${sandboxFileName} ${killer}`, killsOf(killer) + 1);
      if (run.status === 'hung') return { status: MutantRunStatus.Timeout, reason: `${killer} did not end` };
      return {
        status: MutantRunStatus.Killed,
        killedBy: [killer],
        failureMessage: run.output.slice(-2000),
        nrOfTests: at + 1,
      };
    }
    return { status: MutantRunStatus.Survived, nrOfTests: files.length };
  }

  async dispose(): Promise<void> {
    this.end();
  }

  /** Runs test files in this order until one fails or takes too long. */
  private run(files: readonly string[], env: Record<string, string>): Promise<Run> {
    const startedMs = performance.now();
    const child = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--config', 'scripts/mutation/built.config.ts', ...files],
      {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env, FURCATE_MUTATION_FILES: files.join(','), NO_COLOR: '1' },
      },
    );
    this.child = child;
    return new Promise((settle) => {
      let output = '';
      let done = 0;
      let hung = false;
      const limit = (): number => {
        const usual = this.usualMs.get(files[done] ?? '');
        return (done === 0 ? START_LIMIT_MS : 0) + (usual === undefined ? DRY_RUN_LIMIT_MS : SLOWER * usual + SLACK_MS);
      };
      const expire = (): void => {
        hung = true;
        this.end();
      };
      let timer = setTimeout(expire, limit());
      const take = (data: Buffer): void => {
        output += data;
        const now = [...output.matchAll(DONE)].length;
        if (now === done) return;
        done = now;
        clearTimeout(timer);
        timer = setTimeout(expire, limit());
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.on('exit', (code) => {
        clearTimeout(timer);
        this.end(); // end the processes that it left
        const status = hung ? 'hung' : code === 0 ? 'passed' : 'failed';
        settle({ status, output, tookMs: Math.round(performance.now() - startedMs) });
      });
    });
  }

  /** Ends the process group of the run. */
  private end(): void {
    const pid = this.child?.pid;
    this.child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process group has already ended.
    }
  }
}
