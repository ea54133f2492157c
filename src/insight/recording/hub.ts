/**
 * Gathers what the threads of this realm's pools write into their rings, and gives it to those who want it: files, and calls of `trace`. On the thread
 * that owns the pools.
 */
import { type hooks, host, observeHere, observerHere, RECORDS, type RecordHome, turn } from '../../core/engine.js';
import type { ClockMeasure } from './chrome-events.js';
import { type GroupMemory, RecordedGroup } from './recorded-group.js';
import { clockUs, Recorder, type RecordingPlace } from './recorder.js';
import { RING_BYTES, RingMemory, RingWriter } from './ring.js';
import { ThreadTrack, type TimelineSink } from './thread-track.js';
import { GAUGE, JOB, WAITED } from './timeline-event.js';
import { TraceFile } from './trace-file.js';

/** Time between two readings of the rings (milliseconds). */
const READ_EVERY_MS = 50;

const NO_SLOT = -1;

/** Recipient of a timeline, and its wishes. */
export interface Recording {
  readonly sink: TimelineSink;
  /** True if it wants tasks that run in the place of their join, too. */
  readonly wantsAll: boolean;
  wants(home: RecordHome): boolean;
}

/** This thread. */
interface RecordedCaller {
  readonly recorder: Recorder;
  readonly track: ThreadTrack;
}

const recordings = new Set<Recording>();
const groups = new Map<GroupMemory, RecordedGroup>();
/** By path; the empty text stands for files that could not be made. */
const files = new Map<string, Recording | undefined>();
let caller: RecordedCaller | undefined;
/** The worker group that this thread has computed for last. */
let callersGroup: GroupMemory | undefined;
let stopTimer: (() => void) | undefined;
let endIsAwaited = false;
/** True once something was noted that belongs to no worker group. */
let hasNotes = false;

/** A count of a flow. */
interface Gauge {
  readonly name: string;
  readonly of: string;
  read(): number;
}
const gauges = new Set<Gauge>();
/** This process, as timelines of several tell of it. */
const own: { name: string; clocks: readonly ClockMeasure[] } = { name: '', clocks: [] };
/** More comparisons of clocks are not kept: the older half goes. */
const MOST_CLOCKS = 1000;

const sinksOf = (home: RecordHome): TimelineSink[] =>
  [...recordings].filter((recording) => recording.wants(home)).map(({ sink }) => sink);

const wantAll = (): boolean => [...recordings].some(({ wantsAll }) => wantsAll);

/** Reads all rings, and hands over what is there. */
function readAll(): void {
  caller?.track.read([...recordings].map(({ sink }) => sink));
  for (const group of groups.values()) group.read(sinksOf(group.home));
}

function flushAll(): void {
  readAll();
  for (const { sink } of recordings) sink.flush();
}

function countOf({ name, of, read }: Gauge): void {
  callerHere().recorder.count(GAUGE, name, of, read());
}

/** Reads now and then, as long as there are threads that write. */
function readLater(): void {
  if (stopTimer !== undefined || recordings.size === 0 || (groups.size === 0 && !hasNotes)) return;
  stopTimer = host().backgroundTimer(READ_EVERY_MS, () => {
    stopTimer = undefined;
    for (const group of groups.values()) group.count(sinksOf(group.home));
    for (const gauge of gauges) countOf(gauge);
    flushAll();
    readLater();
  });
}

/** Recorder of what this thread does; made once, because worker groups know its track. */
function callerHere(): RecordedCaller {
  if (caller === undefined) {
    const memory = new RingMemory(new Uint8Array(RING_BYTES));
    const track = new ThreadTrack('caller', memory, (slot) => callersGroup && groups.get(callersGroup)?.trackOf(slot));
    const place: RecordingPlace = {
      ring: new RingWriter(memory, readAll),
      wantsAll: wantAll,
      slotOf: (record) => callersGroup?.slotOf(record) ?? 0,
      roots: NO_SLOT, // it takes none
    };
    caller = { recorder: new Recorder(RECORDS, place), track };
  }
  return caller;
}

/** Begins to give something to a sink. */
export function beginRecording(recording: Recording): void {
  const { recorder, track } = callerHere();
  if (recordings.size === 0) recorder.begin();
  recordings.add(recording);
  if (observerHere() === undefined) observeHere(recorder);
  track.introduce(recording.sink);
  readLater();
}

/** Time for which workers that go on with other tasks are waited for, at most (milliseconds). */
const MOST_REST_MS = 100;

/** Waits until the threads have written what they hear of in a turn of their event loop: garbage. A worker takes one before it sleeps. */
export async function untilHeard(): Promise<void> {
  if (!callerHere().recorder.hearsOfGarbage) return;
  const endMs = host().nowMs() + MOST_REST_MS;
  do {
    await turn();
    readAll();
  } while (host().nowMs() < endMs && ![...groups.values()].every(({ isAtRest }) => isAtRest));
}

/** Ends what `beginRecording` has begun; the sink has all then. */
export function endRecording(recording: Recording): void {
  const { recorder } = callerHere();
  if (recordings.size === 1) recorder.end();
  readAll();
  recordings.delete(recording);
  if (recordings.size > 0) return;
  if (observerHere() === recorder) observeHere(undefined);
}

function tellOfProcess(): void {
  for (const { sink } of recordings) sink.process?.(own);
}

/** See `Hooks.notes`. */
const notes: NonNullable<ReturnType<typeof hooks.notes>> = {
  nowUs: clockUs,
  waited: (name, sinceUs, items) => over(WAITED, name, sinceUs, items),
  job: (name, sinceUs, id) => over(JOB, name, sinceUs, hashOf(id)),
  gauge(name, of, read) {
    const gauge = { name, of, read };
    gauges.add(gauge);
    return () => {
      if (recordings.size > 0) countOf(gauge);
      gauges.delete(gauge);
    };
  },
  process(name) {
    own.name = name;
    tellOfProcess();
  },
  clock(offset) {
    const kept = own.clocks.length < MOST_CLOCKS ? own.clocks : own.clocks.slice(MOST_CLOCKS / 2);
    own.clocks = [...kept, { ...offset, atUs: clockUs() }];
    tellOfProcess();
    hasNotes = true; // the file is to have it even if the process is killed
    readLater();
  },
};

function over(kind: number, name: string, sinceUs: number, about: number): void {
  if (recordings.size === 0) return; // it began while there was one
  callerHere().recorder.over(kind, name, sinceUs, about);
  hasNotes = true;
  readLater();
}

/** A text as 32 bits (FNV-1a). */
const hashOf = (text: string): number =>
  [...text].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) as number), 0x01000193), 0x811c9dc5) >>> 0;

/** See `Hooks.notes`. */
export function notesHere(trace: RecordHome['settings']['trace']): typeof notes | undefined {
  openOnce(trace);
  return recordings.size === 0 ? undefined : notes;
}

/** A file that pools with this path are written to. */
function openFile(path: string, wantsAll: boolean): Recording | undefined {
  try {
    const sink = new TraceFile(path, clockUs());
    if (own.name === '') own.name = host().recording?.().processName ?? '';
    sink.process(own);
    if (!endIsAwaited) host().recording?.().onEnd(flushAll);
    endIsAwaited = true;
    return { sink, wantsAll, wants: ({ settings }) => settings.trace?.file === path };
  } catch (error) {
    host().warn(`furcate: the timeline cannot be written to ${path}: ${error}`);
    return undefined;
  }
}

/** Opens the file of pools with this setting, once. */
function openOnce(trace: RecordHome['settings']['trace']): void {
  if (trace === undefined || files.has(trace.file)) return;
  const recording = openFile(trace.file, trace.tasks === 'all');
  files.set(trace.file, recording);
  if (recording !== undefined) beginRecording(recording);
}

/** See `Hooks.record`. */
export function recordGroup(memory: GroupMemory, home: RecordHome): number {
  openOnce(home.settings.trace);
  if (sinksOf(home).length === 0) return 0;
  if (observerHere() === undefined) observeHere(callerHere().recorder); // a profile may have ended
  try {
    const group = groups.get(memory) ?? new RecordedGroup(memory, home, callerHere().track);
    groups.set(memory, group);
    group.wantsAll = wantAll();
    readLater();
    return group.mode;
  } catch {
    return 0; // the heap is full
  }
}

/** See `Hooks.recorder`, on this thread. */
export function callersRecorder({ memory }: Parameters<typeof hooks.recorder>[0]): Recorder {
  if (callersGroup !== memory) readAll(); // what refers to slots of another group
  callersGroup = memory;
  return callerHere().recorder;
}

/** See `Hooks.ended`. */
export function endGroup(memory: GroupMemory): void {
  const group = groups.get(memory);
  if (group === undefined) return;
  flushAll();
  groups.delete(memory);
  if (callersGroup === memory) callersGroup = undefined;
}
