/**
 * What a job needs beside the library: forkables that a thief must have before it takes one of the job's tasks.
 *
 * A list of codes is an entry of the code table, so a record names any number of them by one word.
 */
import { BUILTIN_URL } from '../code/registry.js';
import { codeTable, KIND_SHAPE, KIND_SOURCE } from '../code/table.js';

const lists = new Map<number, number[]>();

/** The codes behind a record's `R_NEEDS`. */
export function neededCodes(needs: number): number[] {
  let codes = lists.get(needs);
  if (codes === undefined) {
    codes = JSON.parse(codeTable().entry(needs - 1).name) as number[];
    lists.set(needs, codes);
  }
  return codes;
}

/** The word for all that two lists name: a nested steal publishes tasks of the frames below it too. */
export const unionOfNeeds = (a: number, b: number): number => (b === 0 || a === b ? a : needsOf(neededCodes(b), a));

/** The word for `codes` on top of what the caller's stack needs already; sources need nothing, they travel along. */
export function needsOf(codes: readonly number[], outer: number): number {
  const all = new Set(outer === 0 ? [] : neededCodes(outer));
  const before = all.size;
  for (const id of codes) {
    const { kind, url } = codeTable().entry(id);
    if (kind !== KIND_SOURCE && url !== BUILTIN_URL) all.add(id);
  }
  if (all.size === before) return outer;
  return codeTable().idOf(KIND_SHAPE, '', JSON.stringify([...all].sort((a, b) => a - b))) + 1;
}
