/** Lists of codes as one number: an entry of the code table, so that a record names any number of codes by one word. */
import { codeTable, KIND_SHAPE } from './table.js';

const lists = new Map<number, number[]>();

/** The word for a list, whatever its order; 0 for none. */
export function wordOfCodes(codes: Iterable<number>): number {
  const sorted = [...codes].sort((a, b) => a - b);
  return sorted.length === 0 ? 0 : codeTable().idOf(KIND_SHAPE, '', JSON.stringify(sorted)) + 1;
}

/** The codes behind a word other than 0. */
export function codesOfWord(word: number): number[] {
  let codes = lists.get(word);
  if (codes === undefined) {
    codes = JSON.parse(codeTable().entry(word - 1).name) as number[];
    lists.set(word, codes);
  }
  return codes;
}
