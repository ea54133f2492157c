import { readFile } from 'node:fs/promises';
import { asyncForkable } from 'furcate';

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const search = asyncForkable(
  import.meta.url,
  'search',
  async (scope, path: string, _index: number, { pattern }: { pattern: RegExp }): Promise<readonly Match[]> => {
    const lines = (await readFile(path, { encoding: 'utf8', signal: scope.signal })).split('\n');
    return lines.flatMap((text, i) => (pattern.test(text) ? [{ path, line: i + 1, text }] : []));
  },
);
