/** The suites that run on every host: which test files belong to them, and what they test. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './module-files.js';

export const SUITES = ['unit', 'property', 'conformance', 'fuzz', 'stress', 'users'] as const;
export type Suite = (typeof SUITES)[number];

/** Suites that import `src`, and start no threads. The others import the package. */
export const SOURCE_SUITES: ReadonlySet<Suite> = new Set<Suite>(['unit', 'property']);

/** Tests that need the checkout and Node's loaders: of tools and pages of this project, and of threads that run the source. */
const OF_CHECKOUT = /^test\/(unit\/scripts\/|unit\/algorithms\/readme\.test|stress\/(heap|planted|tiny)\.test)/;

/** The test files of a suite, relative to the root, in order. The suite of users has none: it is made of programs. */
export function filesOf(suite: Suite): string[] {
  if (suite === 'users') return [];
  return readdirSync(join(ROOT, 'test', suite), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${suite}/${path.replaceAll('\\', '/')}`)
    .filter((path) => !OF_CHECKOUT.test(path))
    .sort();
}
