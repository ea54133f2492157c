/** Parses the command line of the flights job; runs on the main thread. */
import { parseArgs } from 'node:util';
import type { Effort } from './measure.js';

export interface JobOptions {
  /** Rows of the data set to read; all rows if undefined. */
  readonly rows: number | undefined;
  /** How long to measure each question. */
  readonly effort: Effort;
  /** Workers to use; the library's default if undefined. */
  readonly parallelism: number | undefined;
  /** Folder for the charts; a folder next to the program if undefined. */
  readonly out: string | undefined;
  /** Whether to write a timeline of the workers into the folder of the charts. */
  readonly trace: boolean;
  /** Whether to measure how parallel each question is. */
  readonly profile: boolean;
  readonly help: boolean;
}

/** A mistake on the command line. The program prints it without a stack trace and exits with code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const FULL_EFFORT: Effort = { runs: 5, ms: 1000 };
const SHORT_EFFORT: Effort = { runs: 3, ms: 100 };
const SHORT_ROWS = 300_000;

export const USAGE = `Usage: npm start -- [options]

Answers questions about 3,000,000 flights with plain loops and with Furcate, and compares answers and times.

Options:
  --short            read only the first ${SHORT_ROWS.toLocaleString('en-US')} flights, and measure less
  --parallelism N    use N workers (default: the library's choice for this machine)
  --out DIR          write the charts to DIR (default: examples/flights/out)
  --trace            write a timeline of the workers to DIR, for https://ui.perfetto.dev
  --profile          measure work, span and parallelism of each answer
  --help             print this text

Exit code: 0 if every parallel answer equals the sequential one, 1 if one does not or the job fails,
2 if an option is wrong.`;

/**
 * Parses the arguments that follow the program's name.
 *
 * @throws UsageError for an unknown option, a missing or wrong value, or an extra argument.
 */
export function parseOptions(args: readonly string[]): JobOptions {
  const values = parsed(args);
  return {
    rows: values.short ? SHORT_ROWS : undefined,
    effort: values.short ? SHORT_EFFORT : FULL_EFFORT,
    parallelism: values.parallelism === undefined ? undefined : positiveInteger('--parallelism', values.parallelism),
    out: values.out === undefined ? undefined : nonEmpty('--out', values.out),
    trace: values.trace,
    profile: values.profile,
    help: values.help,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        short: { type: 'boolean', default: false },
        parallelism: { type: 'string' },
        out: { type: 'string' },
        trace: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positiveInteger(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 1) {
    throw new UsageError(`${option} needs a whole number of at least 1, but got '${text}'.`);
  }
  return value;
}

function nonEmpty(option: string, text: string): string {
  if (text === '') throw new UsageError(`${option} needs the name of a folder, but got an empty text.`);
  return text;
}
