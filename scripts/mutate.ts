/**
 * Measures the mutation score of the tests: plants small bugs (mutants) in a folder of `src`, one at a time, and counts those that
 * some test notices. StrykerJS makes the mutants and runs the tests; docs/correctness.md has the results.
 *
 *     npm run mutate -- src/core/deque --sample 300 --seed 7 --part 1/4
 *
 * There are three stages, each for mutants that no stage has killed. `source` runs tests that import `src`, and conformance tests
 * on a pool of one, in StrykerJS's vitest runner. For each mutant it runs only the tests that reach the mutant. `model` runs the models.
 * `built` builds the package from the instrumented sources, and runs tests with real threads.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { build } from 'esbuild';
import { measureByModel } from './mutation/model-stage.js';
import { isCurrent, killedIn, merged, outcomesIn, summaryOf, survivorsOf } from './mutation/outcomes.js';
import { keyOf, mutantsOf, rangeOf, sampleOf } from './mutation/sample.js';
import type { Outcome, Settings, Stage } from './mutation/settings.js';

const SCRATCH = '.build/mutation';

const STAGES: readonly Stage[] = ['source', 'model', 'built'];

/** Sources that are not mutated: each mutant of AssemblyScript would need a run of its compiler. */
const NOT_MUTATED = 'src/algorithms/kernels/wasm/';

/** Mutations that are left out. Messages are for people, so no test should depend on their text. */
const EXCLUDED_MUTATIONS = ['StringLiteral'];

/** Tests of the stage `built`, except those on variants of the build, whose changes do not fit instrumented sources. */
const BUILT_TESTS = ['test/conformance', 'test/faults', 'test/fuzz', 'test/stress/random-trees.test.ts'];
const ON_VARIANTS = /ensureVariant|tiny-build|fault-steps/;

/** Tests of the stage `source`: those of the same layer (core or algorithms). Tests of the other layer rarely kill more, and take minutes. */
const sourceTests = (path: string): string[] => {
  const layer = path.split('/')[1];
  const tests = ['unit', 'property'].map((kind) => `test/${kind}/${layer}`);
  return layer === 'core' ? [...tests, ...HERE_TESTS] : tests;
};

/** Conformance tests that the stage `source` runs too, on a pool whose only thread is the caller. */
const HERE_TESTS = ['bad-input', 'carrying', 'endings', 'failing', 'joining', 'nesting'].map(
  (name) => `test/conformance/${name}.test.ts`,
);

const USAGE = `Usage: npm run mutate -- PATH [options]
  PATH              a folder or file in src
  --sample N        number of random mutants (default 300); 0 for all
  --seed N          seed of the sample (default random; printed)
  --part I/N        the I-th of N parts of the sample (default 1/1)
  --stage S,T       stages to run: source, model, built (default all)
  --tests A,B       test files or folders; those in test/unit and test/property run in the stage source
  --resume          leaves out survivors, too, that an interrupted run has measured
  --incremental     keeps results, and measures only what has changed
  --report          sums up the results of earlier runs`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    stage: { type: 'string', default: 'source,model,built' },
    tests: { type: 'string' },
    resume: { type: 'boolean', default: false },
    incremental: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});

/** The files in a folder whose names end with `ending`, or the file itself. */
function filesIn(path: string, ending: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${path}/${name}`)
    .sort();
}

const isSourceTest = (file: string): boolean => /^test\/(unit|property)\//.test(file) || HERE_TESTS.includes(file);

/** The test files of a stage, for mutants in `path`. */
function testFiles(stage: Stage, path: string): string[] {
  const files = (values.tests?.split(',') ?? [...sourceTests(path), ...BUILT_TESTS]).flatMap((tests) =>
    filesIn(tests, '.test.ts'),
  );
  if (stage === 'source') return files.filter(isSourceTest);
  return files.filter(
    (file) => !/^test\/(unit|property)\//.test(file) && !ON_VARIANTS.test(readFileSync(file, 'utf8')),
  );
}

function report(): void {
  const files = readdirSync(SCRATCH).filter((name) => name.endsWith('.jsonl'));
  const all = merged(files.flatMap((name) => outcomesIn(`${SCRATCH}/${name}`)).filter(isCurrent));
  console.log(survivorsOf(all));
  console.log(summaryOf(all));
}

/** Removes mutants outside of the sample from StrykerJS's results. It records them as compile errors, and would not run them next time. */
function forgetUnmeasured(incrementalFile: string): void {
  const kept = JSON.parse(readFileSync(incrementalFile, 'utf8')) as { files: Record<string, { mutants: Outcome[] }> };
  for (const file of Object.values(kept.files)) {
    file.mutants = file.mutants.filter(({ status }) => status !== 'CompileError');
  }
  writeFileSync(incrementalFile, JSON.stringify(kept));
}

async function bundlePlugins(name: string): Promise<string> {
  const outfile = `${SCRATCH}/${name}.plugins.mjs`;
  // StrykerJS's child processes are plain Node, which cannot read TypeScript.
  await build({
    entryPoints: ['scripts/mutation/plugins.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
  });
  return `./${outfile}`;
}

async function measure(path: string, stages: readonly Stage[]): Promise<void> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const [part, parts] = values.part.split('/').map(Number) as [number, number];
  const size = Number(values.sample);
  console.log(`${path}: --seed ${seed} --sample ${size} --part ${part}/${parts}`);
  process.env['FURCATE_SEED'] = String(seed);
  const name = `${path.replaceAll('/', '-')}.${seed}.${size}.${part}-${parts}`;
  const plugins = await bundlePlugins(name);
  const files = filesIn(path, '.ts').filter((file) => !file.startsWith(NOT_MUTATED));
  const mutants = await mutantsOf(files, EXCLUDED_MUTATIONS);
  const sample = sampleOf(mutants, { seed, size, part, parts });
  console.log(`${mutants.length} mutants, ${sample.length} in the sample`);
  for (const stage of stages) {
    const fileOf = (any: Stage): string => `${SCRATCH}/${name}.${any}.jsonl`;
    const resultFile = fileOf(stage);
    const settled = new Set(STAGES.flatMap((any) => [...killedIn(fileOf(any))]));
    if (values.resume) for (const { key } of outcomesIn(resultFile).filter(isCurrent)) settled.add(key);
    const chosen = sample.filter((mutant) => !settled.has(keyOf(mutant)));
    if (stage === 'model') {
      console.log(`model: ${chosen.length} mutants`);
      await measureByModel(chosen, resultFile);
      continue;
    }
    const furcate: Settings = {
      stage,
      chosenFile: `${process.cwd()}/${SCRATCH}/${name}.chosen.json`,
      resultFile: `${process.cwd()}/${resultFile}`,
      skippedFile: `${process.cwd()}/${SCRATCH}/${name}.skipped.txt`,
      testFiles: testFiles(stage, path),
    };
    console.log(`${stage}: ${chosen.length} mutants, ${furcate.testFiles.length} test files`);
    writeFileSync(furcate.chosenFile, JSON.stringify(chosen.map(keyOf)));
    process.env['FURCATE_MUTATION_FILES'] = furcate.testFiles.join(',');
    const sandbox = `${SCRATCH}/sandbox.${name}`;
    rmSync(furcate.skippedFile, { force: true });
    rmSync(sandbox, { recursive: true, force: true }); // left by an interrupted run
    const options: PartialStrykerOptions & { furcate: Settings } = {
      mutate: chosen.map(rangeOf),
      mutator: { excludedMutations: EXCLUDED_MUTATIONS },
      plugins: ['@stryker-mutator/vitest-runner', plugins],
      testRunner: stage === 'source' ? 'vitest' : 'built',
      vitest: { configFile: 'scripts/mutation/source.config.ts', related: true },
      coverageAnalysis: 'perTest',
      checkers: ['sample'],
      reporters: ['sample'],
      concurrency: 1,
      dryRunTimeoutMinutes: 60,
      // A counter finds endless loops. The time-out is long, so that a busy machine does not look like one.
      timeoutMS: 30_000,
      // The runner `built` has its own limits for each file, and confirms hangs. A shorter time-out here would interrupt it.
      timeoutFactor: stage === 'source' ? 3 : 20,
      incremental: values.incremental,
      incrementalFile: `${SCRATCH}/${path.replaceAll('/', '-')}.${stage}.incremental.json`,
      tempDirName: sandbox,
      ignorePatterns: ['dist', 'benchmarks', 'examples', '.build/*', '!.build/kernels-*'],
      allowConsoleColors: false,
      disableTypeChecks: false,
      furcate,
    };
    await new Stryker(options).runMutationTest();
    if (values.incremental) forgetUnmeasured(options.incrementalFile as string);
    if (existsSync(furcate.skippedFile)) console.log(`left out:\n${readFileSync(furcate.skippedFile, 'utf8')}`);
  }
}

mkdirSync(SCRATCH, { recursive: true });
const [path] = positionals;
if (path !== undefined && !values.report) {
  await measure(path, values.stage.split(',') as Stage[]);
  report();
} else if (values.report) {
  report();
} else {
  console.error(USAGE);
  process.exitCode = 1;
}
