/**
 * The stage `model`: runs the models of `test/model` on one mutant after the other. Their loader rewrites the source by its text, which
 * does not match StrykerJS's instrumented code. So this stage puts each mutant alone into the text of its file.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import type { Answer, Question } from './model-runner.js';
import { outcomeOf } from './mutant-outcome.js';

/** Time limit of a mutant, as a multiple of the time for the unchanged source. A mutant that exceeds it hangs. */
const SLOWER = 5;
/** Time limit of the unchanged source (ms). */
const FIRST_LIMIT_MS = 600_000;

/** Matches replacements of a whole clause instead of an expression, which must not get parentheses. */
const CLAUSE = /^\s*(\{|case\b|default\b)/;

/** The text of the mutant's file with the mutant in it. */
function mutated(text: string, { location: { start, end }, replacement, mutatorName }: Mutant): string {
  const lines = text.split('\n');
  const offsetOf = ({ line, column }: { line: number; column: number }): number =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + column;
  const isClause = mutatorName === 'BlockStatement' || CLAUSE.test(replacement);
  return text.slice(0, offsetOf(start)) + (isClause ? replacement : `(${replacement})`) + text.slice(offsetOf(end));
}

/**
 * Sends a question to the runner. Resolves to undefined if the runner gives no answer within `limitMs`, and is killed, or if it dies
 * first: a mutant may make an exploration endless, or larger than memory.
 */
function ask(runner: ChildProcess, question: Question, limitMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const done = (answer: Answer | undefined): void => {
      clearTimeout(timer);
      runner.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      done(undefined);
      runner.kill('SIGKILL');
    }, limitMs);
    runner.once('message', (answer: Answer) => done(answer));
    runner.once('exit', () => done(undefined));
    runner.send(question);
  });
}

/** Starts a runner, and times the unchanged source in it. */
async function startRunner(): Promise<{ runner: ChildProcess; limitMs: number }> {
  const runner = fork('scripts/mutation/model-runner.ts', { execArgv: ['--import', 'tsx'] });
  const startMs = performance.now();
  if ((await ask(runner, {}, FIRST_LIMIT_MS)) === undefined)
    throw new Error('the models do not hold, or hang, without a mutant');
  return { runner, limitMs: SLOWER * (performance.now() - startMs) };
}

/** Measures mutants. A mutant that the models cannot judge gets no outcome. */
export async function measureByModel(mutants: readonly Mutant[], resultFile: string): Promise<void> {
  let { runner, limitMs } = await startRunner();
  console.log(`a mutant may take ${Math.round(limitMs / 1000)} s`);
  let killed = 0;
  for (const [i, mutant] of mutants.entries()) {
    const startMs = performance.now();
    const text = readFileSync(mutant.fileName, 'utf8');
    const file = relative(process.cwd(), mutant.fileName).replaceAll('\\', '/');
    const answer = await ask(runner, { mutant: { file, text: mutated(text, mutant) } }, limitMs);
    if (answer === undefined) ({ runner } = await startRunner());
    if (answer?.refused !== undefined) continue;
    const status = answer === undefined ? 'Timeout' : answer.killedBy === undefined ? 'Survived' : 'Killed';
    if (status !== 'Survived') killed++;
    const outcome = outcomeOf(mutant, status, answer?.killedBy ?? '', performance.now() - startMs);
    appendFileSync(resultFile, `${JSON.stringify(outcome)}\n`);
    if ((i + 1) % 10 === 0) console.log(`${i + 1}/${mutants.length}, ${killed} killed`);
  }
  runner.kill();
}
