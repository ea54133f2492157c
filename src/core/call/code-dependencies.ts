/**
 * What a record needs beside the library: forkables of its job and classes of its values, which a thief must have before it
 * takes the task.
 */

import { isBuiltin } from '../code/registry.js';
import { codesOfWord, codeTable, KIND_SOURCE, wordOfCodes } from '../code/table.js';

export { codesOfWord };

/** The word for all that two lists name: a nested steal publishes tasks of the frames below it too. */
export const unionOfDependencies = (a: number, b: number): number =>
  b === 0 || a === b ? a : dependenciesOf(codesOfWord(b), a);

/** The word for `codes` on top of what the caller's stack needs already; sources need nothing, they travel along. */
export function dependenciesOf(codes: readonly number[], outer: number): number {
  const all = new Set(outer === 0 ? [] : codesOfWord(outer));
  const before = all.size;
  for (const id of codes) {
    const { kind, url } = codeTable().entry(id);
    if (kind !== KIND_SOURCE && !isBuiltin(url)) all.add(id);
  }
  if (all.size === before) return outer;
  return wordOfCodes(all);
}
