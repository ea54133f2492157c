/** Finds the files of the vega-datasets package, wherever npm put it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The absolute path of one of the package's data files. */
export function dataFile(name: string): string {
  const entry = createRequire(import.meta.url).resolve('vega-datasets'); // <package>/build/index.js
  return join(dirname(entry), '..', 'data', name);
}
