/** Searches files for a pattern, as grep does. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FilePart, fileParts, parallelMap } from 'furcate';

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const search = (file: FilePart, _index: number, { pattern }: { pattern: RegExp }): readonly Match[] => {
  const matches: Match[] = [];
  let line = 0;
  for (const text of file.lines()) {
    line++;
    if (pattern.test(text)) matches.push({ path: file.path, line, text });
  }
  return matches;
};

export async function grep(folder: string, pattern: RegExp): Promise<readonly Match[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.txt')).sort();
  const files = await fileParts(
    names.map((name) => join(folder, name)),
    { partBytes: Infinity },
  );
  return (await parallelMap(files, search, { context: { pattern } })).flat();
}
