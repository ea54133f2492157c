/** Runs the benchmarks that the command line names, prints a table for each, and writes JSON; runs on the main thread. */
import { writeFileSync } from 'node:fs';
import { Anchors } from './anchors.js';
import type { Benchmark } from './benchmark.js';
import { readCommandLine } from './command-line.js';
import type { Comparison, Figure } from './figure.js';
import { loadOfLastMinute, machine, unquiet } from './machine.js';
import { table } from './table.js';

interface Measured {
  readonly benchmark: Benchmark;
  readonly figures: readonly Figure[];
}

/**
 * @param benchmarks all benchmarks of a group, in the order in which they run
 * @param systems the anchors that these benchmarks refer to
 */
export async function runBenchmarks(benchmarks: readonly Benchmark[], systems: readonly string[]): Promise<void> {
  const known = benchmarks.map(({ name }) => name);
  const { names, short, json, anchors: directory, ...setup } = readCommandLine(process.argv.slice(2), known);
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  checkOptions(chosen, systems, directory, setup.against);
  const loadBefore = loadOfLastMinute();
  const date = new Date().toISOString();
  const warnings = [unquiet(loadBefore), short ? 'Short run: do not keep these figures.' : undefined];
  for (const warning of warnings) if (warning !== undefined) console.log(warning);

  const anchors = directory === undefined ? undefined : new Anchors(directory);
  await anchors?.run(systems);
  const measured: Measured[] = [];
  for (const benchmark of chosen) {
    console.error(`${benchmark.name} ...`); // progress goes to stderr, tables to stdout
    measured.push({ benchmark, figures: await benchmark.measure({ short, ...setup }) });
  }
  await anchors?.run(systems);

  const results = measured.map(({ benchmark, figures }) => ({
    name: benchmark.name,
    says: benchmark.says,
    notFor: benchmark.notFor,
    figures: figures.map((figure) => withAnchors(figure, anchors)),
  }));
  for (const { name, says, notFor, figures } of results) {
    console.log(`\n${name}: ${says}\nNot for: ${notFor}\n\n${table(figures)}`);
  }
  if (json === undefined) return;
  const report = { date, short, loadBefore, loadAfter: loadOfLastMinute(), machine: machine(), results };
  writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
}

/** @throws Error for an option that a chosen benchmark would ignore */
function checkOptions(
  chosen: readonly Benchmark[],
  systems: readonly string[],
  anchors: string | undefined,
  against: string | undefined,
): void {
  if (anchors !== undefined && systems.length === 0) throw new Error('--anchors: these benchmarks use no anchors.');
  const deaf = chosen.find(({ comparesBuilds }) => comparesBuilds !== true);
  if (against !== undefined && deaf !== undefined) {
    throw new Error(`--against: '${deaf.name}' does not compare builds; bench:cold does.`);
  }
}

/** Adds the anchors to the comparisons. An anchor that has a target but did not run gets the ratio NaN. */
function withAnchors(figure: Figure, anchors: Anchors | undefined): Figure {
  const added = figure.anchors.flatMap(({ system, workload, threads, target }): Comparison[] => {
    const ms = anchors?.medianMs(system, workload, threads);
    if (ms === undefined && target === undefined) return [];
    const name = ms === undefined ? system : `${system} ${ms.toFixed(1)} ms`;
    return [{ beside: name, ratio: ms === undefined ? Number.NaN : figure.value / ms, ...(target && { target }) }];
  });
  return { ...figure, comparisons: [...figure.comparisons, ...added] };
}
