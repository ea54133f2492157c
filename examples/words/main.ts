/**
 * The program of `npm run words`: counts and sorts the words of a text in plain JavaScript and with Furcate, compares the times, and
 * checks that the answers are equal. `-- --words 1000000` uses fewer words.
 */
import { parseArgs } from 'node:util';
import { ForkJoinPool, parallelTopK } from 'furcate';
import { makeText, stringOf, type TextSize, wordsOf } from './text.js';
import {
  type Counted,
  countByCodes,
  countByCounters,
  countByMap,
  countBytes,
  countedOf,
  countStringOf,
  sameCounts,
  sortByCodes,
  sortStrings,
} from './ways.js';

const WORDS = 10_000_000;
/** Words of the text for each word of the vocabulary, on average. */
const WORDS_PER_RANK = 30;
const ROUNDS = 3;
/** Most words to sort. `sort()` would take half a minute for ten million. */
const MOST_SORTED = 1_000_000;

/** One way to answer a question. */
interface Way<A> {
  readonly name: string;
  run(): A | Promise<A>;
}

interface Measured<A> {
  readonly answer: A;
  readonly ms: number;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let words: number;
  try {
    words = readWords(args);
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run words [-- --words <number>]`);
    return 2;
  }
  const size = { words, vocabulary: Math.ceil(words / WORDS_PER_RANK) };
  // On Node 20, workers need a loader for count-words.ts.
  const pool = new ForkJoinPool({ preload: ['furcate/tsx'] });
  try {
    await pool.ready();
    return (await compareAll(size, pool)) ? 0 : 1;
  } finally {
    await pool.close();
  }
}

function readWords(args: string[]): number {
  const { values } = parseArgs({ args, options: { words: { type: 'string', default: String(WORDS) } } });
  const words = Number(values.words);
  if (Number.isSafeInteger(words) && words >= 1) return words;
  throw new Error(`--words needs a whole number of at least 1, but got '${values.words}'.`);
}

async function compareAll(size: TextSize, pool: ForkJoinPool): Promise<boolean> {
  const text = makeText(size);
  const words = wordsOf(stringOf(text));
  const expected = countByMap(words);
  console.log(
    `${words.length} words, ${expected.size} distinct, ${(text.length / 1e6).toFixed(1)} MB; ${pool.parallelism} threads. Medians of ${ROUNDS} rounds.\n`,
  );
  const top = await parallelTopK([...expected], 5, { key: ([, count]) => count });
  console.log(`Most frequent: ${top.map(([word, count]) => `${word} ${count}`).join(', ')}.\n`);

  const isRight = (counted: Counted): boolean => sameCounts(expected, counted);
  const some = words.slice(0, MOST_SORTED);
  const sorted = sortStrings(some);
  const isSorted = (answer: readonly (string | null)[]): boolean =>
    answer.length === sorted.length && sorted.every((word, i) => answer[i] === word);
  const checks = [
    ...(await compare<Counted>('Count the words of an array of strings', isRight, [
      { name: 'Map of counts', run: () => countedOf(countByMap(words)) },
      { name: 'Map of counters', run: () => countByCounters(words) },
      { name: 'dictionaryEncode, parallelHistogram', run: () => countByCodes(words, pool) },
    ])),
    ...(await compare<Counted>('Count the words in bytes of text', isRight, [
      { name: 'decode, split, Map of counts', run: () => countedOf(countStringOf(text)) },
      { name: 'tasks over shared bytes', run: () => countBytes(text, pool) },
    ])),
    ...(await compare<readonly (string | null)[]>(`Sort an array of ${some.length} strings`, isSorted, [
      { name: 'sort()', run: () => sortStrings(some) },
      { name: 'dictionaryEncode, parallelSort, decode', run: () => sortByCodes(some, pool) },
    ])),
  ];
  return checks.every((check) => check);
}

/** Measures all ways in turn, so that a change of the machine's speed affects all of them. Returns which answers are right. */
async function compare<A>(title: string, isRight: (answer: A) => boolean, ways: readonly Way<A>[]): Promise<boolean[]> {
  const times = ways.map((): number[] => []);
  const right = ways.map(() => true);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, way] of ways.entries()) {
      const { answer, ms } = await measured(way);
      times[i].push(ms);
      right[i] &&= isRight(answer);
    }
  }
  console.log(title);
  const medians = times.map((all) => all.sort((a, b) => a - b)[ROUNDS >> 1] as number);
  for (const [i, { name }] of ways.entries()) {
    const ratio = medians[0] / medians[i];
    console.log(
      `  ${name.padEnd(40)} ${medians[i].toFixed(0).padStart(7)} ms  ${ratio.toFixed(2).padStart(6)} x${right[i] ? '' : '  WRONG ANSWER'}`,
    );
  }
  console.log();
  return right;
}

async function measured<A>({ run }: Way<A>): Promise<Measured<A>> {
  const start = performance.now();
  const answer = await run();
  return { answer, ms: performance.now() - start };
}
