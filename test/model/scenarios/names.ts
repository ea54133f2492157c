/** What to call a word of control memory in the report of a failure. */

import type { Layout } from '../../../src/core/memory/layout.js';
import * as layoutModule from '../../../src/core/memory/layout.js';
import * as records from '../../../src/core/memory/records.js';

const named = (names: object, prefix: string): Map<number, string> =>
  new Map(
    Object.entries(names)
      .filter(([name, value]) => name.startsWith(prefix) && typeof value === 'number')
      .map(([name, value]) => [value as number, name]),
  );

const GROUP = named(layoutModule, 'C_');
const HEADER = named(layoutModule, 'W_');
const RECORD = named(records, 'R_');

export function nameWord(layout: Layout, at: number): string {
  const first = layoutModule.slotWord(layout, 0);
  if (at < first) return GROUP.get(at) ?? `group word ${at}`;
  const slot = layoutModule.slotOfWord(layout, at);
  const offset = at - layoutModule.slotWord(layout, slot);
  const inRecords = offset - layout.recordsOffset;
  if (inRecords >= 0) {
    const word = inRecords % layoutModule.RECORD_WORDS;
    return `slot ${slot} record ${Math.floor(inRecords / layoutModule.RECORD_WORDS)} ${RECORD.get(word) ?? `word ${word}`}`;
  }
  return `slot ${slot} ${HEADER.get(offset) ?? `ring word ${offset}`}`;
}
