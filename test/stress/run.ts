/** One scenario in a process of its own, for scripts/stress.ts: `run.ts <scenario> <seed> <size> [tiny]`. */
import { type Furcate, SCENARIOS } from './scenarios.js';
import { ensureTinyBuild } from './tiny-build.js';

const [name, seed, size, build] = process.argv.slice(2);
const furcate = (await import(build === 'tiny' ? await ensureTinyBuild() : 'furcate')) as Furcate;
const scenario = SCENARIOS.find((each) => each.name === name);
if (scenario === undefined) throw new Error(`there is no scenario '${name}'`);
await scenario.run(furcate, Number(seed), Number(size));
