/**
 * Notes what this thread does when, in its ring; on every thread that is recorded. What is notes is over: a slice is written at its end, with its
 * begin. So each event stands for itself, and one that is lost leaves no other without its half.
 */
import { codeTable, host, type Observer, taskLabel } from '../../core/engine.js';
import { ContinuedParts, type RecordedCoroutine } from './continued.js';
import type { RingWriter } from './ring.js';
import {
  APART,
  CODE,
  CONTINUED,
  COPY,
  COROUTINE,
  GARBAGE,
  HEAP,
  INSTANTS,
  INVOCATION,
  NODE,
  nodeKey,
  READY,
  ROOT,
  SLEEP,
  STOLEN,
  TASK,
  TURN,
  UNITS,
  WAIT,
} from './timeline-event.js';

type RecordedStrand = ReturnType<Observer['apart']>;
type RecordedCall = ReturnType<Observer['mark']>;
type RecordedGraph = Parameters<Observer['node']>[0];

/** Counts take place at most so often (microseconds). */
const HEAP_EVERY_US = 50_000;

/**
 * Difference from the clock of `performance` to the clock that all threads share (microseconds): the narrowest of several readings of
 * both.
 */
function offsetUs(): number {
  let best = { ms: Number.POSITIVE_INFINITY, offset: 0 };
  for (let k = 0; k < 8; k++) {
    const before = host().nowMs();
    const here = performance.now();
    const after = host().nowMs();
    if (after - before < best.ms) best = { ms: after - before, offset: (before + after) / 2 - here };
  }
  return best.offset * 1000;
}

let realmOffsetUs: number | undefined;

/** By the clock that all threads share (microseconds). `performance` is the one that takes least time to read. */
export function clockUs(): number {
  realmOffsetUs ??= offsetUs();
  return performance.now() * 1000 + realmOffsetUs;
}

/** A time by the clock of `performance` on this thread (milliseconds). */
export const performanceMsOf = (us: number): number => Math.max(0, (us - (realmOffsetUs ?? offsetUs())) / 1000);

/** Nobody asks what a recorded task has cost. */
const noMark = (): RecordedCall => ({ account: undefined, arrive() {} });

/** Numbers of coroutines, for each thread. */
let numbers = 0;

/** Place to which a recorder writes, and what its owner wants. */
export interface RecordingPlace {
  readonly ring: RingWriter;
  /** Returns true if tasks should be noted that run in the place of their join. */
  readonly wantsAll: () => boolean;
  /** The slot of the thread that has forked what a record stands for. */
  readonly slotOf: (record: number) => number;
  /** The slot of roots. */
  readonly roots: number;
}

export class Recorder implements Observer {
  readonly mode: number;
  readonly isFine = false;
  readonly #place: RecordingPlace;
  readonly #ring: RingWriter;
  /** Number of open slices, and how many were when a join began to wait. */
  #depth = 0;
  #waitDepth = 0;
  /** Since when a join waits; 0 if none does. */
  #waitsSinceUs = 0;
  /** Slices that run between tasks. Sleeps may be within others. */
  readonly #beside: {
    readonly kind: number;
    readonly name: number;
    readonly startUs: number;
    readonly about: number;
  }[] = [];
  /** Label of what runs. */
  #label = -1;
  /** The coroutine that runs. */
  #coroutine: RecordedCoroutine | undefined;
  readonly #parts: ContinuedParts;
  #heapUs = 0;
  #garbage: { tell(): void; end(): void } | undefined;

  constructor(mode: number, place: RecordingPlace) {
    this.mode = mode;
    this.#place = place;
    this.#ring = place.ring;
    this.#parts = new ContinuedParts({
      nowUs: clockUs,
      events: () => 2 * this.#ring.written + this.#depth, // a slice that begins, and one that ends, count one each
      enter: (coroutine) => this.#enter(coroutine),
      write: ({ name, number }, startUs, endUs) => this.#ring.write(CONTINUED, name, startUs, endUs - startUs, number),
    });
    this.begin();
  }

  /** Notes garbage, too: that goes on whether anything runs or not. */
  begin(): void {
    clockUs(); // not in the middle of what is measured
    const name = this.#ring.nameOf('garbage collection', 'garbage collection');
    this.#garbage ??= host()
      .recording?.()
      .onCollected((startMs, ms) =>
        this.#ring.write(GARBAGE, name, startMs * 1000 + (realmOffsetUs as number), ms * 1000, 0),
      );
  }

  /** Notes nothing more of garbage, and of coroutines that wait. */
  end(): void {
    this.stops();
    this.#garbage?.end();
    this.#garbage = undefined;
  }

  stops(): void {
    this.#parts.end();
  }

  /** True if it hears of garbage, in turns of the event loop. */
  get hearsOfGarbage(): boolean {
    return this.#garbage !== undefined;
  }

  get seesForks(): boolean {
    return this.#place.wantsAll();
  }

  #nameOf(task: object): number {
    const label = taskLabel(task);
    if (!label.isOfLibrary) return this.#ring.nameOf(label, label.name, label.url);
    const called = label.nameOf(task);
    return this.#ring.nameOf(called, called);
  }

  /** A slice is over that began at some time. */
  #slice(kind: number, name: number, startUs: number, about = 0): void {
    this.#depth--;
    if (this.#depth < this.#waitDepth) this.#waitsSinceUs = 0; // that join has thrown
    this.#ring.write(kind, name, startUs, clockUs() - startUs, about);
  }

  looked(): void {}

  begins(_position: number, task: object): object | undefined {
    if (!this.#place.wantsAll()) return undefined;
    const begun = { startUs: clockUs(), name: this.#nameOf(task), label: this.#label };
    this.#label = begun.name;
    this.#depth++;
    return begun;
  }

  ended(begun: object): void {
    const { startUs, name, label } = begun as { startUs: number; name: number; label: number };
    this.#label = label;
    this.#slice(TASK, name, startUs);
  }

  apart(task?: object, record?: number): RecordedStrand {
    const startUs = clockUs(); // before its name is asked for: the first task of a job opens it
    const name = task === undefined ? this.#ring.nameOf('caller', 'on the caller') : this.#nameOf(task);
    const isTaken = record !== undefined && record >= 0; // without workers there are no records
    const from = isTaken ? this.#place.slotOf(record) : 0;
    const kind = !isTaken ? APART : from === this.#place.roots ? ROOT : STOLEN;
    const leave = this.#goOn(name, undefined);
    this.#depth++;
    let coroutine: RecordedCoroutine | undefined;
    return {
      mark: noMark(),
      fork: noMark,
      run: (body) => {
        coroutine = { name, number: ++numbers };
        this.#coroutine = coroutine;
        return this.#parts.run(coroutine, body);
      },
      leave: () => {
        this.#slice(kind, name, startUs, from);
        leave();
      },
      account: () => {
        if (coroutine === undefined) return undefined;
        this.#parts.written();
        this.#ring.write(COROUTINE, coroutine.name, startUs, clockUs() - startUs, coroutine.number);
        return undefined;
      },
    };
  }

  /** The thread goes on with something; returns a function that goes on with what it did before. */
  #goOn(label: number, coroutine: RecordedCoroutine | undefined): () => void {
    const before = [this.#waitsSinceUs, this.#waitDepth, this.#label, this.#coroutine] as const;
    this.#waitsSinceUs = 0;
    this.#label = label;
    this.#coroutine = coroutine;
    return () => {
      [this.#waitsSinceUs, this.#waitDepth, this.#label, this.#coroutine] = before;
    };
  }

  /** A coroutine goes on that has waited. */
  #enter(coroutine: RecordedCoroutine): () => void {
    const leave = this.#goOn(coroutine.name, coroutine);
    this.#depth++;
    return () => {
      this.#depth--;
      leave();
    };
  }

  waits(): void {
    this.#waitsSinceUs = clockUs();
    this.#waitDepth = this.#depth;
  }

  joined(): void {
    const sinceUs = this.#waitsSinceUs;
    this.#waitsSinceUs = 0;
    if (sinceUs === 0 || this.#depth !== this.#waitDepth) return;
    this.#ring.write(WAIT, this.#ring.nameOf('wait', 'waiting in a join'), sinceUs, clockUs() - sinceUs, 0);
  }

  noted(event: string, amount: number, about: number): void {
    if (event === 'sleeps') this.#begin(SLEEP, this.#ring.nameOf('sleep', 'sleeping'), 0);
    else if (event === 'busyUs') this.#countHeap();
    else {
      const kind = INSTANTS[event];
      if (kind !== undefined) this.#ring.write(kind, this.#ring.nameOf(event, event), clockUs(), amount, about);
    }
  }

  #countHeap(): void {
    const us = clockUs();
    if (us - this.#heapUs < HEAP_EVERY_US) return;
    this.#heapUs = us;
    const bytes = host().recording?.().heapBytes();
    if (bytes !== undefined) this.#ring.write(HEAP, this.#ring.nameOf('heap', 'heap in use'), us, bytes, 0);
  }

  beside(what?: 'turn' | 'code' | 'copy', about = 0): void {
    if (what === 'turn') this.#begin(TURN, this.#ring.nameOf('turn', 'event loop'), 0);
    else if (what === 'copy') this.#begin(COPY, this.#ring.nameOf('copy', 'copying an array'), about);
    else if (what === 'code') {
      const { name, url } = codeTable().entry(about);
      this.#begin(CODE, this.#ring.nameOf(`code ${about}`, `loading ${name}`, url), about);
    } else {
      const begun = this.#beside.pop();
      if (begun === undefined) return;
      this.#slice(begun.kind, begun.name, begun.startUs, begun.about);
      if (begun.kind === TURN) this.#garbage?.tell();
    }
  }

  #begin(kind: number, name: number, about: number): void {
    this.#depth++;
    this.#beside.push({ kind, name, startUs: clockUs(), about });
  }

  mark(task: object, called?: string): RecordedCall {
    const name = called === undefined ? this.#nameOf(task) : this.#ring.nameOf(called, called);
    const startUs = clockUs();
    const mark: RecordedCall = {
      account: undefined,
      arrive: () => this.#ring.write(INVOCATION, name, startUs, clockUs() - startUs, mark.bytes ?? 0),
    };
    return mark;
  }

  units(lo: number, hi: number, calls: string, run: (lo: number, hi: number) => number | undefined): number {
    const startUs = clockUs();
    this.#depth++;
    let elements = 0;
    try {
      elements = run(lo, hi) ?? 0;
    } finally {
      const name = calls === '' && this.#label >= 0 ? this.#label : this.#ring.nameOf(calls, calls || 'algorithm');
      this.#slice(UNITS, name, startUs, elements);
    }
    return elements;
  }

  stageEnded(): void {}

  node<R>({ job, spec }: RecordedGraph, node: number, name: string, run: () => R): R {
    const startUs = clockUs();
    const called = this.#ring.nameOf(`node ${name} of ${spec.name}`, name, spec.name);
    if (this.#coroutine !== undefined) this.#coroutine.name = called; // which is there for the node
    this.#depth++;
    try {
      return run();
    } finally {
      this.#slice(NODE, called, startUs, nodeKey(job, node));
    }
  }

  ready({ job }: RecordedGraph, node: number, last: number): void {
    const [key, after] = [nodeKey(job, node), nodeKey(job, last)];
    if (key !== undefined && after !== undefined)
      this.#ring.write(READY, this.#ring.nameOf('ready', 'ready'), clockUs(), after, key);
  }

  /** Something that overlaps others ends now. */
  over(kind: number, name: string, startUs: number, about: number): void {
    this.#ring.write(kind, this.#ring.nameOf(`over ${name}`, name), startUs, clockUs() - startUs, about);
  }

  /** @param of what the count is a part of */
  count(kind: number, name: string, of: string, value: number): void {
    this.#ring.write(kind, this.#ring.nameOf(`${name} of ${of}`, name, of), clockUs(), value, 0);
  }

  graphEnded(): void {}

  aside<R>(run: () => R): [value: R, cost: number] {
    return [run(), 0];
  }

  advance(): void {}
}
