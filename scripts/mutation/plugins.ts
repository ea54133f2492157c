/**
 * Plugins of StrykerJS that measure a sample. StrykerJS has no notion of one, so a reporter, which sees the whole plan
 * first, chooses; and a checker, which is asked before each run, lets only the chosen mutants through.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant, MutantResult, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type { MutationTestingPlanReadyEvent, Reporter } from '@stryker-mutator/api/report';
import { BuiltTestRunner } from './built-runner.js';
import { hashOf, isCurrent, isKilled, outcomesIn } from './outcomes.js';
import { keyOf, sampleOf } from './sample.js';
import type { Outcome, Settings } from './settings.js';

const settingsOf = (options: StrykerOptions): Settings => options['furcate'] as Settings;

/** What stands at a mutant's place, on one line. */
function originalOf(fileName: string, { start, end }: Mutant['location']): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  lines[lines.length - 1] = (lines.at(-1) as string).slice(0, end.column);
  lines[0] = (lines[0] as string).slice(start.column);
  return lines.join(' ').replace(/\s+/g, ' ');
}

class SampleReporter implements Reporter {
  static inject = tokens(commonTokens.options);
  private readonly settings: Settings;
  private chosen = new Set<string>();
  private lastMs = performance.now();
  private done = 0;

  constructor(options: StrykerOptions) {
    this.settings = settingsOf(options);
  }

  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    const { sampling, killedBefore, chosenFile } = this.settings;
    const candidates = mutantPlans
      .filter(({ mutant }) => mutant.status !== 'Ignored')
      .map(({ mutant }) => keyOf(mutant));
    const sample = sampleOf(candidates, sampling);
    const killed = new Set(
      killedBefore === null
        ? []
        : outcomesIn(killedBefore)
            .filter(isCurrent)
            .filter(isKilled)
            .map(({ key }) => key),
    );
    const left = sample.filter((key) => !killed.has(key));
    this.chosen = new Set(left);
    writeFileSync(chosenFile, JSON.stringify(left));
    console.log(`${candidates.length} mutants; ${sample.length} in the sample, ${left.length} to run`);
    this.lastMs = performance.now();
  }

  onMutantTested(result: MutantResult): void {
    const location = zeroBased(result.location);
    const key = keyOf({ ...result, location });
    if (!this.chosen.has(key)) return;
    const nowMs = performance.now();
    const outcome: Outcome = {
      key,
      file: relative(process.cwd(), result.fileName).replaceAll('\\', '/'),
      source: hashOf(result.fileName),
      line: result.location.start.line,
      mutator: result.mutatorName,
      original: originalOf(result.fileName, location),
      replacement: result.replacement ?? '',
      status: result.status,
      reason: (result.statusReason ?? '').slice(0, 200),
      ms: Math.round(nowMs - this.lastMs),
    };
    this.lastMs = nowMs;
    appendFileSync(this.settings.resultFile, `${JSON.stringify(outcome)}\n`);
    this.done++;
    if (this.done % 10 === 0 || !isKilled(outcome)) {
      const what = isKilled(outcome) ? '' : `  ${outcome.status} ${outcome.file}:${outcome.line} ${outcome.mutator}`;
      console.log(`${this.done}/${this.chosen.size}${what}`);
    }
  }
}

/** Reports count lines and columns from 1, plans from 0. */
function zeroBased({ start, end }: Mutant['location']): Mutant['location'] {
  const less = ({ line, column }: Mutant['location']['start']) => ({ line: line - 1, column: column - 1 });
  return { start: less(start), end: less(end) };
}

class SampleChecker implements Checker {
  static inject = tokens(commonTokens.options);
  private readonly chosenFile: string;
  private chosen: Set<string> | undefined;

  constructor(options: StrykerOptions) {
    this.chosenFile = settingsOf(options).chosenFile;
  }

  async init(): Promise<void> {}

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    this.chosen ??= new Set(JSON.parse(readFileSync(this.chosenFile, 'utf8')) as string[]);
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

  /** All at once: a group of one would be a message for each mutant. */
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
