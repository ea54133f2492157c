/** The suites that run on every host: which test files belong to them, and what they test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './module-files.js';

export const SUITES = ['unit', 'property', 'conformance', 'faults', 'fuzz', 'stress', 'users'] as const;
export type Suite = (typeof SUITES)[number];

/** Suites that import `src`, and start no threads. The others import the package. */
export const SOURCE_SUITES: ReadonlySet<Suite> = new Set<Suite>(['unit', 'property']);

/** Tests that need the checkout and Node's loaders: of tools and pages of this project, and of threads that run the source. */
const OF_CHECKOUT =
  /^test\/(unit\/scripts\/|unit\/algorithms\/readme\.test|stress\/(heap|planted|tiny)\.test|faults\/(full-heap|left-behind|programs|steps)\.test)/;

/** The program that the first example of the README is, which is no file. */
export const README_PROGRAM = 'test/runtimes/users/readme.mjs';

/** Programs of first users: they show what they print by `// => text`. Other files beside them hold their tasks. */
const isProgram = (path: string): boolean =>
  path.endsWith('.mjs') && expectedOutput(readFileSync(join(ROOT, path), 'utf8')) !== '';

/** What a program prints, by its own account. */
export const expectedOutput = (program: string): string =>
  [...program.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => `${line}\n`).join('');

/** The first example of the README, printing what it shows. */
export function readmeProgram(): string {
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  return example.replaceAll(/^(.*);( \/\/ => )/gm, 'console.log($1);$2');
}

const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.replaceAll('\\', '/')}`,
  );

/** The test files of a suite, or its programs, relative to the root, in order. */
export function filesOf(suite: Suite): string[] {
  if (suite === 'users') return [README_PROGRAM, ...filesUnder('test/runtimes/users').filter(isProgram).sort()];
  return filesUnder(`test/${suite}`)
    .filter((path) => path.endsWith('.test.ts') && !OF_CHECKOUT.test(path))
    .sort();
}
