/** The command line of the benchmarks; runs on the main thread. */
import { parseArgs } from 'node:util';

export interface CommandLine {
  /** Benchmarks to run, by name; all if there are none. */
  readonly names: readonly string[];
  readonly short: boolean;
  /** Where to write the figures as JSON. */
  readonly json: string | undefined;
  /** A directory with the native programs and their `run.sh`. */
  readonly anchors: string | undefined;
}

/** @throws Error for an unknown option or benchmark, naming those that there are */
export function readCommandLine(args: readonly string[], known: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      json: { type: 'string' },
      anchors: { type: 'string' },
    },
  });
  for (const name of positionals) {
    if (!known.includes(name)) throw new Error(`There is no benchmark '${name}'; there are ${known.join(', ')}.`);
  }
  return { names: positionals, short: values.short, json: values.json, anchors: values.anchors };
}
