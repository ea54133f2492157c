import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layoutOf, RECORD_WORDS, recordWord } from '../../../../src/core/memory/layout.js';
import {
  CLAIMED,
  complete,
  DONE,
  FAILED,
  FREE,
  isPublic,
  isTaken,
  NO_RECORD,
  OwnerRecords,
  PUBLIC,
  recordOf,
  setPublic,
  stateOf,
  takenBy,
  thiefIn,
  tryAwait,
  tryClaim,
  tryTake,
} from '../../../../src/core/memory/records.js';

const SLOT = 1;
const RECORDS = 8;
const LAYOUT = layoutOf(2, { ringLog2: 4, recordsPerSlot: RECORDS });

interface Model {
  readonly entry: number;
  state: number;
  /** The forker has said that it sleeps. */
  awaited: boolean;
}

const action = fc.record({
  what: fc.constantFrom('allocate', 'publish', 'take', 'claim', 'await', 'complete', 'release', 'stale'),
  which: fc.nat(),
  thief: fc.integer({ min: 0, max: LAYOUT.slots - 1 }),
  failed: fc.boolean(),
});

/** A store whose records have been used about `generation` times. */
function storeAt(generation: number): { words: Int32Array; records: OwnerRecords } {
  const words = new Int32Array(new SharedArrayBuffer(LAYOUT.totalBytes));
  for (let index = 0; index < RECORDS; index++) words[recordWord(LAYOUT, SLOT, index)] = (generation << 16) | FREE;
  return { words, records: new OwnerRecords(words, LAYOUT, SLOT) };
}

test('a record goes its one way from hand to hand, and an entry of an earlier use gets nothing', () => {
  const generations = fc.oneof(fc.constantFrom(0, 0x7ffd, 0x7ffe, 0x7fff), fc.integer({ min: 0, max: 0x7fff }));
  fc.assert(
    fc.property(generations, fc.array(action, { maxLength: 150, size: 'max' }), (generation, actions) => {
      const { words, records } = storeAt(generation);
      const live: Model[] = [];
      const stale: number[] = [];
      for (const { what, which, thief, failed } of actions) {
        if (what === 'allocate') {
          const entry = records.allocate();
          expect(entry === NO_RECORD).toBe(live.length === RECORDS);
          if (entry === NO_RECORD) continue;
          expect(entry).toBeGreaterThanOrEqual(0);
          expect(live.map((each) => each.entry & 0xffff)).not.toContain(entry & 0xffff);
          expect(stale).not.toContain(entry);
          live.push({ entry, state: FREE, awaited: false });
          continue;
        }
        if (what === 'stale') {
          if (stale.length === 0) continue;
          const entry = stale[which % stale.length] as number;
          const record = records.wordOf(entry);
          expect([
            isPublic(words, record, entry),
            tryTake(words, record, entry, thief),
            tryClaim(words, record, entry),
          ]).toEqual([false, false, false]);
          continue;
        }
        if (live.length === 0) continue;
        const model = live[which % live.length] as Model;
        const { entry } = model;
        const record = records.wordOf(entry);
        const wasPublic = model.state === PUBLIC;
        if (what === 'publish' && model.state === FREE) {
          setPublic(words, record, entry);
          model.state = PUBLIC;
        } else if (what === 'take') {
          expect(tryTake(words, record, entry, thief)).toBe(wasPublic);
          if (wasPublic) {
            model.state = takenBy(thief);
            expect(thiefIn(stateOf(words, record))).toBe(thief);
          }
        } else if (what === 'claim') {
          expect(tryClaim(words, record, entry)).toBe(wasPublic);
          if (wasPublic) model.state = CLAIMED;
        } else if (what === 'await') {
          expect(tryAwait(words, record)).toBe(isTaken(model.state));
          if (isTaken(model.state)) {
            model.awaited = true;
            expect(isTaken(stateOf(words, record))).toBe(true);
          }
        } else if (what === 'complete' && isTaken(model.state)) {
          const state = failed ? FAILED : DONE;
          expect(complete(words, record, state)).toBe(model.awaited);
          model.state = state;
        } else if (what === 'release' && !isTaken(model.state) && !wasPublic) {
          records.release(entry);
          live.splice(live.indexOf(model), 1);
          stale.push(entry);
          continue;
        }
        expect(isPublic(words, record, entry)).toBe(model.state === PUBLIC);
        if (!model.awaited) expect(stateOf(words, record)).toBe(model.state);
        expect(records.live).toBe(live.length);
      }
    }),
    { numRuns: 400 },
  );
});

test('generations come round after 2^15 uses, and every one before is another', () => {
  const { words, records } = storeAt(0x7ff0);
  const seen = new Set<number>();
  for (let use = 0; use < 0x8000; use++) {
    const entry = records.allocate();
    expect(entry & 0xffff).toBe(0);
    expect(seen.has(entry)).toBe(false);
    seen.add(entry);
    records.release(entry);
  }
  const entry = records.allocate();
  expect(seen.has(entry)).toBe(true);
  setPublic(words, records.wordOf(entry), entry);
  expect(isPublic(words, records.wordOf(entry), entry)).toBe(true);
});

test('the next thread of a slot gives records new generations: entries of the one before are stale', () => {
  const words = new Int32Array(new SharedArrayBuffer(LAYOUT.totalBytes));
  const before = new OwnerRecords(words, LAYOUT, SLOT);
  const old = Array.from({ length: RECORDS }, () => before.allocate());
  for (const entry of old) {
    setPublic(words, before.wordOf(entry), entry);
    expect(tryClaim(words, before.wordOf(entry), entry)).toBe(true);
    before.release(entry);
  }
  const next = new OwnerRecords(words, LAYOUT, SLOT);
  for (let k = 0; k < RECORDS; k++) {
    const entry = next.allocate();
    expect(old).not.toContain(entry);
    setPublic(words, next.wordOf(entry), entry);
    for (const stale of old) expect(tryTake(words, next.wordOf(stale), stale, 2)).toBe(false);
    expect(tryTake(words, next.wordOf(entry), entry, 2)).toBe(true);
  }
});

test('records lie apart from each other, and an entry finds its own from any thread', () => {
  const { records } = storeAt(3);
  const entries = Array.from({ length: RECORDS }, () => records.allocate());
  const places = entries.map((entry) => records.wordOf(entry));
  expect(new Set(places).size).toBe(RECORDS);
  for (const [i, place] of places.entries()) {
    expect(place % 2).toBe(0); // doubles lie in it
    expect(recordOf(LAYOUT, SLOT, entries[i] as number)).toBe(place);
    for (const other of places)
      if (other !== place) expect(Math.abs(other - place)).toBeGreaterThanOrEqual(RECORD_WORDS);
  }
  expect(records.allocate()).toBe(NO_RECORD);
});
