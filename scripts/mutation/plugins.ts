/**
 * StrykerJS plugins that measure a sample. The place of a chosen mutant may contain other mutants; a checker excludes them before
 * each run.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant, MutantResult, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type { DryRunCompletedEvent, Reporter } from '@stryker-mutator/api/report';
import { BuiltTestRunner } from './built-runner.js';
import { outcomeOf } from './mutant-outcome.js';
import { isKilled } from './outcomes.js';
import { keyOf } from './sample.js';
import type { Settings } from './settings.js';

const settingsOf = (options: StrykerOptions): Settings => options['furcate'] as Settings;

const chosenIn = ({ chosenFile }: Settings): ReadonlySet<string> =>
  new Set(JSON.parse(readFileSync(chosenFile, 'utf8')) as string[]);

class SampleReporter implements Reporter {
  static inject = tokens(commonTokens.options);
  private readonly settings: Settings;
  private readonly chosen: ReadonlySet<string>;
  private lastMs = performance.now();
  private done = 0;

  constructor(options: StrykerOptions) {
    this.settings = settingsOf(options);
    this.chosen = chosenIn(this.settings);
  }

  /** Lists conformance tests of which nothing ran: StrykerJS passes over a test file that fails to load. */
  onDryRunCompleted({ result }: DryRunCompletedEvent): void {
    const { testFiles, skippedFile } = this.settings;
    const ran = new Set(result.tests.map(({ fileName = '' }) => fileName.slice(fileName.indexOf('test/'))));
    const lost = testFiles.filter((file) => file.startsWith('test/conformance/') && !ran.has(file));
    for (const file of lost) appendFileSync(skippedFile, `${file}: no test ran\n`);
  }

  onMutantTested(result: MutantResult): void {
    const location = zeroBased(result.location);
    const key = keyOf({ ...result, location });
    if (!this.chosen.has(key)) return;
    const nowMs = performance.now();
    const outcome = outcomeOf({ ...result, location }, result.status, result.statusReason ?? '', nowMs - this.lastMs);
    this.lastMs = nowMs;
    appendFileSync(this.settings.resultFile, `${JSON.stringify(outcome)}\n`);
    this.done++;
    if (this.done % 10 === 0 || !isKilled(outcome)) {
      const what = isKilled(outcome) ? '' : `  ${outcome.status} ${outcome.file}:${outcome.line} ${outcome.mutator}`;
      console.log(`${this.done}/${this.chosen.size}${what}`);
    }
  }
}

/** Converts a location of a report, which counts lines and columns from 1, to one that counts from 0. */
function zeroBased({ start, end }: Mutant['location']): Mutant['location'] {
  const less = ({ line, column }: Mutant['location']['start']) => ({ line: line - 1, column: column - 1 });
  return { start: less(start), end: less(end) };
}

class SampleChecker implements Checker {
  static inject = tokens(commonTokens.options);
  private readonly chosen: ReadonlySet<string>;

  constructor(options: StrykerOptions) {
    this.chosen = chosenIn(settingsOf(options));
  }

  async init(): Promise<void> {}

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const { chosen } = this;
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        chosen.has(keyOf(mutant))
          ? { status: CheckStatus.Passed }
          : { status: CheckStatus.CompileError, reason: 'not in the sample' },
      ]),
    );
  }

  /** Puts all mutants into one group, because each group costs a message. */
  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Reporter, 'sample', SampleReporter),
  declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker),
  declareClassPlugin(PluginKind.TestRunner, 'built', BuiltTestRunner),
];

export const strykerValidationSchema = { properties: { furcate: { type: 'object' } } };
