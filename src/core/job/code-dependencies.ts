/**
 * The code that a record needs beside the library: forkables of its job, and classes of its values. A thief must have that code
 * before it takes the task.
 */

import { isBuiltin } from '../code/registry.js';
import { codesOfWord, codeTable, wordOfCodes } from '../code/table.js';

export { codesOfWord };

/** The word for what two words name together. A nested steal publishes tasks of the frames below it, too. */
export const unionOfDependencies = (a: number, b: number): number =>
  b === 0 || a === b ? a : a === 0 ? b : dependenciesOf(codesOfWord(b), a);

/** The word for `codes` and what `outer` names. Shipped sources need nothing, because they travel with the task. */
export function dependenciesOf(codes: readonly number[], outer: number): number {
  const all = new Set(outer === 0 ? [] : codesOfWord(outer));
  const before = all.size;
  for (const id of codes) {
    const { kind, url } = codeTable().entry(id);
    if (kind !== 'source' && !isBuiltin(url)) all.add(id);
  }
  if (all.size === before) return outer;
  return wordOfCodes(all);
}
