/** Finds the data files of the installed package vega-datasets. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The absolute path of a data file of the package. */
export function dataFile(name: string): string {
  const entry = createRequire(import.meta.url).resolve('vega-datasets'); // <package>/build/index.js
  return join(dirname(entry), '..', 'data', name);
}
