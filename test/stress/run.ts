/**
 * One scenario, or one generator, in a process of its own, for scripts/stress.ts and planted bugs:
 * `run.ts <name> <seed> <size> [--build tiny | --build URL] [--shrink] [--only PATTERN]`.
 */
import { parseArgs } from 'node:util';
import { GENERATORS, type Generator } from './generators.js';
import { type Furcate, SCENARIOS } from './scenarios.js';
import { ensureTinyBuild } from './tiny-build.js';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'string' }, shrink: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const [name, seed, size] = positionals;
const build = values.build === 'tiny' ? await ensureTinyBuild() : values.build;
if (build !== undefined) process.env['FURCATE_BUILD'] = build; // for programs that a generator starts
const furcate = (await import(build ?? 'furcate')) as Furcate; // before anything that imports 'furcate'

async function play(): Promise<void> {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario !== undefined) return scenario.run(furcate, Number(seed), Number(size));
  const generator = (GENERATORS as Readonly<Record<string, Generator>>)[String(name)];
  if (generator === undefined) throw new Error(`there is no scenario or generator '${name}'`);
  const only = values.only === undefined ? {} : { only: new RegExp(values.only) };
  const numRuns = Math.ceil(generator.runs * Number(size));
  const run = await generator.load();
  return run({ seed: Number(seed), numRuns, shrinks: values.shrink, ...only });
}

try {
  await play();
} catch (error) {
  console.error(error);
  process.exit(1); // calls that hang keep the process alive
}
