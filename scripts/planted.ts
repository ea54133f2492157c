/**
 * Plants bugs in the library, one at a time, and runs the generator that must find each: `npm run planted`. Prints what was found, after how
 * many runs and seconds, and by what. Exits with code 1 if a bug escapes.
 *
 *     npm run planted -- --only frozen --seed 7 --seconds 60
 */
import { parseArgs } from 'node:util';
import { PLANTED_BUGS } from '../test/stress/planted/all.js';
import { hunt } from '../test/stress/planted/hunt.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
    seconds: { type: 'string', default: '180' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

/** The last error of a chain of causes, which says what was seen. */
const sawIn = (output: string): string =>
  /\[cause\]: (?:\w+)?(?:Error)?(?: \[\w+\])?:? ?(.*)/.exec(output)?.[1]?.slice(0, 120) ?? '';

const bugs = PLANTED_BUGS.filter(({ name }) => name.includes(values.only));
if (bugs.length === 0) throw new Error(`no planted bug has '${values.only}' in its name`);
console.log(
  `--seed ${seed}\n| planted bug | generator | runs | seconds | what it saw |\n| --- | --- | --- | --- | --- |`,
);
for (const bug of bugs) {
  const { isFound, runs, ms, output } = await hunt(bug, { seed, boundMs: Number(values.seconds) * 1000 });
  const seconds = (ms / 1000).toFixed(1);
  const cells = isFound
    ? [runs, seconds, sawIn(output)]
    : ['ESCAPED', seconds, output.trim().slice(-200).replaceAll('\n', ' ')];
  console.log(`| ${[bug.name, bug.caughtBy, ...cells].join(' | ')} |`);
  if (!isFound) process.exitCode = 1;
}
