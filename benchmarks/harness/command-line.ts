/** Parses the command line of the benchmarks; runs on the main thread. */
import { parseArgs } from 'node:util';

export interface CommandLine {
  /** Names of the benchmarks to run; all benchmarks if empty. */
  readonly names: readonly string[];
  readonly short: boolean;
  /** Where to write the figures as JSON. */
  readonly json: string | undefined;
  /** A directory with the native programs and their `run.sh`. */
  readonly anchors: string | undefined;
  readonly rounds: number | undefined;
  /** A directory with another build of the package. */
  readonly against: string | undefined;
}

/** @throws Error for an unknown option, an unknown benchmark (listing the known ones), or an invalid number of rounds */
export function readCommandLine(args: readonly string[], known: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      json: { type: 'string' },
      anchors: { type: 'string' },
      rounds: { type: 'string' },
      against: { type: 'string' },
    },
  });
  for (const name of positionals) {
    if (!known.includes(name))
      throw new Error(`There is no benchmark '${name}'. The benchmarks are ${known.join(', ')}.`);
  }
  const { short, json, anchors, against } = values;
  return { names: positionals, short, json, anchors, against, rounds: roundsOf(values.rounds) };
}

function roundsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  throw new Error(`--rounds ${text}: give a whole number of at least 1.`);
}
