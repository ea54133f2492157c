/** Searches files for a pattern, as grep does. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parallelMap } from 'furcate';
import { type Match, search } from './search-tasks.mjs';

export async function grep(folder: string, pattern: RegExp): Promise<readonly Match[]> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => name.endsWith('.txt')).sort();
  const found = await parallelMap(
    paths.map((name) => join(folder, name)),
    search,
    { concurrency: 4, context: { pattern } },
  );
  return found.flat();
}
