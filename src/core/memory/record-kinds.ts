/**
 * The words of a record whose meaning depends on what the record stands for; runs on every thread.
 *
 * A record has 64 words, and all are in use. So some words are shared by kinds of records, or by times in the life of one. This file alone
 * names these words (test/helpers/word-rules.ts checks that): everything else reads and writes them by the functions below, which say what is meant.
 *
 * | record                   | word 60: how it ends             | word 62: who is told of its end                        | word 63             |
 * | ------------------------ | -------------------------------- | ------------------------------------------------------ | ------------------- |
 * | of a root                | its grace, then why it is to end | `OF_STACK` or `LOW_ROOT`: its priority                 | the list of reports |
 * | of a fork on a stack     | not used                         | `OF_STACK`                                             | its race            |
 * | of a fork of a coroutine | 0, then why it is to end         | `OF_COROUTINE` or `OF_RACE`, then the next in the list | its race            |
 * | of a race                | 0, then why it is over           | `OF_RACE`                                              | the race around it  |
 * | of an isolation          | 0                                | `OF_ISOLATION`                                         | the race around it  |
 *
 * Word 8 of a root holds what its invocation carries, until the result takes its place. Word 3 of a task holds the external buffers that it needs,
 * until it is completed, and then what it has cost.
 *
 * README.md has who writes and reads each, and by which access.
 */
import { COROUTINE_GRACE_MS } from '../tuning.js';
import { load, store } from './atomics.js';
import { type Layout, rootsSlot } from './layout.js';
import { R_EXTERNAL, R_RESULT, recordOf } from './records.js';

export const R_CANCEL = 60;
export const R_NEXT = 62;
export const R_REPORTS = 63;
export const R_RACE = R_REPORTS;
export const R_CARRIED = R_RESULT;
export const R_ACCOUNT = R_EXTERNAL;

/** First word of the record of an invocation's root. */
export const rootOf = (layout: Layout, invocation: number): number => recordOf(layout, rootsSlot(layout), invocation);

// Word 60: how the task, the invocation or the race ends.

/** Reasons for which a task, an invocation or a race is to end. */
export const CANCELLED_BY_SIGNAL = 1;
export const CANCELLED_BY_TIMEOUT = 2;
export const CANCELLED_BY_POOL = 3;
export const CANCELLED_BY_CRASH = 4;
export const CANCELLED_BY_FORKER = 5;
export const CANCELLED_BY_LISTENER = 6;
export const CANCELLED_BY_RACE = 7;
/** Added to a reason: coroutines that have not ended are abandoned. */
export const ABANDONED = 8;

/** The longest time of the platform's timers (milliseconds), which fire at once beyond it. Such a time counts as for ever. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The grace of an invocation as its root has it until it is cancelled: less than any reason. */
const graceWord = (graceMs: number): number =>
  graceMs === Number.POSITIVE_INFINITY ? 0 : -Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil(graceMs)));

/** Time that cancelled coroutines have (milliseconds), which need an end even where the grace of their invocation has none. */
export const coroutineGraceMs = (graceMs: number): number => -graceWord(graceMs) || COROUTINE_GRACE_MS;

/** Time that coroutines have which a failure has cancelled (milliseconds); undefined once the invocation of this root itself is cancelled. */
export function graceLeft(words: Int32Array, root: number): number | undefined {
  const word = load(words, root + R_CANCEL);
  return word > 0 ? undefined : -word || COROUTINE_GRACE_MS;
}

/** Reason why the task, invocation or race of a record is to end (`CANCELLED_BY_...`); 0 while it is not. */
export const reasonOf = (words: Int32Array, record: number): number => Math.max(0, load(words, record + R_CANCEL));

/** Says why it is to end. C1: before the request bits of the threads that are to see it. */
export function setReason(words: Int32Array, record: number, reason: number): void {
  store(words, record + R_CANCEL, reason);
}

// Word 62: who has forked the task, and so is told of its end.

/** A synchronous task forked it, or it is a root: who waits for it looks at its status. */
export const OF_STACK = -1;
/** A coroutine forked it: the thread that completes it puts it into the list of the forker's slot. */
export const OF_COROUTINE = -2;
/** A root of low priority. */
export const LOW_ROOT = -3;
/** As `OF_COROUTINE`, and it takes part in a race: the first that succeeds ends the others. */
export const OF_RACE = -4;
/** No task: the record stands for an isolation (worker/isolate.ts). */
const OF_ISOLATION = -5;

export type Origin = typeof OF_STACK | typeof OF_COROUTINE | typeof LOW_ROOT | typeof OF_RACE;

/** Says who has forked a task that is not yet public. */
export function setOrigin(words: Int32Array, record: number, origin: Origin): void {
  words[record + R_NEXT] = origin; // plain: not public yet
  if (isOfCoroutine(origin)) store(words, record + R_CANCEL, 0);
}

/** The origin of a task that this thread has taken and not completed. */
// plain, as `raceIn`: the forker wrote it before the task was public
export const originOf = (words: Int32Array, record: number): Origin => words[record + R_NEXT] as Origin;

export const isOfCoroutine = (origin: Origin): boolean => origin === OF_COROUTINE || origin === OF_RACE;

/** Checks whether a root is of low priority. A hint. */
export const isLowRoot = (words: Int32Array, root: number): boolean => load(words, root + R_NEXT) === LOW_ROOT;

/** Makes a low root one of normal priority, which workers may look at. */
export function raisePriority(words: Int32Array, root: number): void {
  store(words, root + R_NEXT, OF_STACK);
}

/** Links a record that this thread has completed for a coroutine to the one that was completed before it. */
export function linkCompleted(words: Int32Array, record: number, next: number): void {
  words[record + R_NEXT] = next; // plain: published by A1
}

/** The record after this one in a list of completed ones; 0 for none. */
export const nextCompleted = (words: Int32Array, record: number): number => words[record + R_NEXT]; // plain: published by A1

// Word 63: the race that a task belongs to, or the reports of an invocation.

/**
 * Says which race a task belongs to, with all that it forks: the first word of the record that stands for the race; 0 for none. An isolation
 * is as a race that nobody wins.
 */
export function setRace(words: Int32Array, record: number, race: number): void {
  words[record + R_RACE] = race; // plain: not public yet
}

/** The race of a task that is no root. A hint until the task is taken. */
export const raceIn = (words: Int32Array, record: number): number => words[record + R_RACE]; // plain: its forker wrote it before it was public

/** Makes a record stand for a race, before any task of it is public. @param outer the race around it */
export function openRace(words: Int32Array, record: number, outer: number): void {
  words[record + R_RACE] = outer; // plain, as the next: no task of it is public yet
  words[record + R_NEXT] = OF_RACE;
  store(words, record + R_CANCEL, 0);
}

/** Makes a record stand for an isolation, as `openRace` does for a race. */
export function openIsolation(words: Int32Array, record: number, outer: number): void {
  openRace(words, record, outer);
  words[record + R_NEXT] = OF_ISOLATION; // plain: as in `openRace`
}

/** Checks whether a race is over, or one around it. Then what still runs of it has lost. */
export function isRaceOver(words: Int32Array, race: number): boolean {
  for (let one = race; one !== 0; one = raceIn(words, one)) if (reasonOf(words, one) > 0) return true;
  return false;
}

/** Checks whether a race, or one around it, is an isolation. */
export function isIsolation(words: Int32Array, race: number): boolean {
  for (let one = race; one !== 0; one = raceIn(words, one)) {
    if (words[one + R_NEXT] === OF_ISOLATION) return true; // plain: as in `openRace`
  }
  return false;
}

/** In the place of a list of reports. */
export const NOBODY_LISTENS = -1;

/**
 * The word with the newest report that the owner has not taken, as its block/16; 0 for none, or `NOBODY_LISTENS`. Protocol: N1 in the README.md
 * of core/worker.
 */
export const reportsOf = (root: number): number => root + R_REPORTS;

// Roots as they begin.

/** Prepares the record of a root for workers, before it is public. */
export function openRoot(
  words: Int32Array,
  root: number,
  { graceMs, isHeard, carried }: { readonly graceMs: number; readonly isHeard: boolean; readonly carried: number },
): void {
  store(words, root + R_CANCEL, graceWord(graceMs));
  store(words, root + R_REPORTS, isHeard ? 0 : NOBODY_LISTENS);
  words[root + R_CARRIED] = carried; // plain: not public yet
}

/** Prepares the record of a root that its caller runs. It is never public, and threads that steal from the caller read it. */
export function openCallersRoot(words: Int32Array, root: number): void {
  store(words, root + R_CANCEL, 0);
  store(words, root + R_NEXT, OF_STACK); // the root that had the record before may have been of low priority
  store(words, root + R_REPORTS, NOBODY_LISTENS);
  store(words, root + R_CARRIED, 0);
}

// Words that mean one thing until the task is completed, and another afterwards.

/** The block of what the invocation of a root that is not completed carries, as block/16; 0 for nothing. */
export const carriedBlock = (words: Int32Array, root: number): number => load(words, root + R_CARRIED); // published with the root

/**
 * Says what a task has cost (observe/observer.ts), as block/16 on the heap; 0 for nothing. A thief that still looks at the public task may take
 * it for `R_EXTERNAL`: it then looks again after a turn of its event loop, and finds the record completed.
 */
export function setAccount(words: Int32Array, record: number, block: number): void {
  words[record + R_ACCOUNT] = block; // plain: published with the outcome (P2); later the forker is the sole owner
}

export const accountBlock = (words: Int32Array, record: number): number => words[record + R_ACCOUNT]; // plain: see `setAccount`
