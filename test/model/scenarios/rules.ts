/**
 * Rules about single accesses to control memory, checked at every one: who may write which word (the tables of the
 * READMEs), how a record's status may change (R1), whose payload it is (R2), how the deque's indices move (I1, I2).
 */
import {
  C_BLOCKED,
  C_CALLER_COMPUTES,
  C_CALLS,
  C_SEARCHERS,
  C_SLEEPERS,
  DEQUE_WORDS,
  INBOX_DEQUE,
  type Layout,
  RECORD_WORDS,
  recordWord,
  ringWord,
  rootsSlot,
  STATE_RUNNING,
  slotOfWord,
  slotWord,
  W_BOTTOM,
  W_COMPLETED,
  W_COUNTERS,
  W_INVOCATION,
  W_REQUESTS,
  W_STATE,
  W_TOP,
} from '../../../src/core/memory/layout.js';
import { R_CANCEL, R_CARRIED, R_NEXT, R_REPORTS } from '../../../src/core/memory/record-kinds.js';
import {
  CLAIMED,
  DONE,
  FAILED,
  FREE,
  isTaken,
  PUBLIC,
  R_BLOB_BYTES,
  R_CODE,
  R_DEPENDENCIES,
  R_EXTERNAL,
  R_INVOCATION,
  R_STATUS,
  STATE_MASK,
  takenBy,
  thiefIn,
} from '../../../src/core/memory/records.js';
import type { Access, Scenario } from '../explorer/scenario.js';
import { NOTIFY, onlyReads, UNTIL, WAIT, WRITE } from '../explorer/seam.js';
import { nameWord } from './names.js';

const COUNTERS = 8;

/** Words that thieves look at before they take a record (P4); of the first three nothing depends on it in a model. */
const LOOKED_AT = [R_CODE, R_EXTERNAL, R_DEPENDENCIES, R_INVOCATION];

type Place =
  | { readonly kind: 'worker group' }
  | { readonly kind: 'header'; readonly slot: number; readonly word: number }
  | { readonly kind: 'ring'; readonly slot: number; readonly deque: number }
  | { readonly kind: 'record'; readonly slot: number; readonly record: number; readonly word: number };

const HEADER_WORDS = W_COMPLETED + 32;

/** The word of deque 0 that a header word of any deque stands for; -1 for other words. */
const wordOfDeque = (word: number): number => (word < W_REQUESTS ? word % DEQUE_WORDS : -1);

const isTop = (word: number): boolean => wordOfDeque(word) === W_TOP;

/** A word that the owner of a deque writes. */
const isBottom = (word: number): boolean => wordOfDeque(word) === W_BOTTOM;

function placeOf(layout: Layout, at: number): Place {
  if (at < slotWord(layout, 0) || at >= slotWord(layout, layout.slots)) return { kind: 'worker group' };
  const slot = slotOfWord(layout, at);
  const offset = at - slotWord(layout, slot);
  if (offset < HEADER_WORDS) return { kind: 'header', slot, word: offset };
  if (offset < layout.recordsOffset) return { kind: 'ring', slot, deque: (offset - HEADER_WORDS) >> layout.ringLog2 };
  const word = (offset - layout.recordsOffset) % RECORD_WORDS;
  return { kind: 'record', slot, record: at - word, word };
}

/** The slot whose thread pushes to a deque: the owner of the pool fills the inboxes of workers. */
const pusherOf = (layout: Layout, slot: number, deque: number): number =>
  deque === INBOX_DEQUE ? rootsSlot(layout) : slot;

/** What payloads and rings hold of earlier tasks: nothing of it may count. */
const STALE = 0x5555;

/** Leaves what earlier tasks leave, so that a word that is read before it is written is no zero. */
export function leaveStale(layout: Layout, cells: Int32Array): void {
  for (let slot = 0; slot < layout.slots; slot++) {
    cells.fill(STALE, ringWord(layout, slot), recordWord(layout, slot, 0));
    for (let index = 0; index < layout.recordsPerSlot; index++) {
      const record = recordWord(layout, slot, index);
      cells.fill(STALE, record + 1, record + RECORD_WORDS); // the status is 0: free
      cells[record + R_BLOB_BYTES] = 0; // freed with the record
    }
  }
}

/** What the words of a worker group must be when its threads have ended: each takes back what it has said of itself. */
export function expectAtRest(layout: Layout, words: Int32Array): void {
  for (const at of [C_SLEEPERS, C_SEARCHERS, C_CALLER_COMPUTES, C_BLOCKED]) {
    if (words[at] !== 0) throw new Error(`${nameWord(layout, at)} is ${words[at]} at the end`);
  }
  for (let slot = 0; slot < layout.slots; slot++) {
    for (const [word, value] of [
      [W_INVOCATION, -1],
      [W_STATE, STATE_RUNNING],
    ]) {
      const at = slotWord(layout, slot) + word;
      if (words[at] !== value) throw new Error(`${nameWord(layout, at)} is ${words[at]} at the end`);
    }
  }
}

/** May a record's status change so, by a thread on `slots`? */
function isStep(from: number, to: number, owned: boolean, slots: readonly number[]): boolean {
  const [a, b] = [from & STATE_MASK, to & STATE_MASK];
  const sameGeneration = from >>> 16 === to >>> 16;
  if (a === FREE && b === PUBLIC) return owned && sameGeneration;
  if (a === PUBLIC && b === CLAIMED) return owned && sameGeneration;
  if (a === PUBLIC && isTaken(b)) return sameGeneration && slots.includes(thiefIn(b));
  if (isTaken(a) && b === a + 1 && a % 2 === 0) return owned && sameGeneration;
  if (isTaken(a) && (b === DONE || b === FAILED)) return sameGeneration && slots.includes(thiefIn(a & ~1));
  // A publication or a claim that comes to nothing is taken back.
  if (b === FREE && !isTaken(a)) return owned && to >>> 16 === ((from >>> 16) + 1) % 0x8000;
  return false;
}

/**
 * @param slotsOf the slots whose words each thread owns: the owner of a pool has two
 */
export function groupRules(
  layout: Layout,
  slotsOf: readonly (readonly number[])[],
): Required<Pick<Scenario, 'monitor' | 'isExclusive'>> {
  const places = new Map<number, Place>();
  const place = (at: number): Place => {
    let found = places.get(at);
    if (found === undefined) {
      found = placeOf(layout, at);
      places.set(at, found);
    }
    return found;
  };
  const refuse = (access: Access, rule: string): never => {
    throw new Error(
      `${rule} (thread ${access.thread}, word ${access.at}, before ${access.before}, gave ${access.result})`,
    );
  };

  return {
    isExclusive(at) {
      const here = place(at);
      if (here.kind === 'header') return here.word >= W_COUNTERS && here.word < W_COUNTERS + COUNTERS;
      return here.kind === 'record' && ![R_STATUS, R_INVOCATION, R_CANCEL, R_NEXT, R_REPORTS].includes(here.word);
    },
    monitor(access, words) {
      const { thread, kind, at, before } = access;
      if (kind === UNTIL || kind === WAIT || kind === NOTIFY || at < 0) return;
      const slots = slotsOf[thread];
      const here = place(at);
      const after = words[at];
      const writes = !onlyReads(kind);
      if (here.kind === 'worker group') {
        if (kind === WRITE && at < slotWord(layout, 0) && at !== C_CALLS)
          refuse(access, 'a worker group word is written plainly');
      } else if (here.kind === 'header') {
        const own = slots.includes(here.slot);
        if (isTop(here.word) && writes && before !== after && after !== ((before + 1) | 0))
          refuse(access, 'I2: top grows by one');
        const deque = Math.floor(here.word / DEQUE_WORDS);
        if (isBottom(here.word) && writes && !slots.includes(pusherOf(layout, here.slot, deque)))
          refuse(access, 'I1: bottom has one writer');
        const isInbox = deque === INBOX_DEQUE && here.slot !== rootsSlot(layout);
        if (
          isTop(here.word) &&
          isInbox &&
          writes &&
          !slots.some((slot) => slot === here.slot || slot === rootsSlot(layout))
        )
          refuse(access, 'only its worker takes from an inbox');
        if (here.word >= W_COUNTERS && here.word < W_COUNTERS + COUNTERS && !own)
          refuse(access, 'counters have one writer');
        if (kind === WRITE && here.word < W_COUNTERS) refuse(access, 'a header word is written plainly');
      } else if (here.kind === 'ring') {
        if (writes && !slots.includes(pusherOf(layout, here.slot, here.deque)))
          refuse(access, 'I3: the owner writes the ring');
      } else if (here.word === R_STATUS) {
        if (before !== after && !isStep(before, after, slots.includes(here.slot), slots))
          refuse(access, 'R1: the status of a record');
      } else if (here.word !== R_CANCEL && here.word !== R_REPORTS) {
        if (!writes && LOOKED_AT.includes(here.word)) return;
        if (!writes && here.word === R_NEXT && here.slot === rootsSlot(layout)) return; // a hint: is an invocation low?
        const state = words[here.record + R_STATUS] & STATE_MASK;
        // What the invocation carries, until the root's result takes its place. A root that a scenario only imagines is free.
        if (!writes && here.word === R_CARRIED && here.slot === rootsSlot(layout) && (isTaken(state) || state === FREE))
          return;
        // Until it is in the list of the coroutine's slot, the thread that has completed it may still link it.
        if (here.word === R_NEXT && (state === DONE || state === FAILED)) return;
        const isTheirs = isTaken(state)
          ? slots.some((slot) => state === takenBy(slot) || state === takenBy(slot) + 1)
          : state !== PUBLIC && slots.includes(here.slot);
        if (!isTheirs) refuse(access, 'R2: the payload of a record');
      }
    },
  };
}
