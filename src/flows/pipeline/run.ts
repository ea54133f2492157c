/**
 * One run of a pipeline: places in flight, the failure that counts, and the end; runs on the calling thread.
 *
 * Everything is driven by what happens: an item is read when a place is free, and goes on when the stage that it is in has done with it. Only
 * reading, and the visits of an `expand` to what others have added, wait for places, and neither holds one.
 */
import { Call, turn } from '../../core/engine.js';
import { Horizon, type Rank, WHOLE } from '../../flow/order.js';
import { SOURCE_PATIENCE_MS, Source, type Stretch } from '../../flow/source.js';
import { TurnClock } from '../../flow/turn-clock.js';
import { EarlyEnd } from './early-end.js';
import type { Item, Stage } from './item.js';
import { Places } from './places.js';
import { Meter, type OnProgress, type PipelineProgress, Reporter } from './progress.js';
import { RunWatch } from './watch.js';

/** For how long items are read before those that go together begin (milliseconds). */
const READ_MS = 0.5;
/** Number of items that are read between two looks at the clock, where each begins at once. */
const READS_PER_LOOK = 16;
/** Number of items that are read at once, where they go together and reading takes no time. */
const MAX_STRETCH = 64;
/**
 * Part of the places that must be free before the source is read on, where there are more places than a pipeline asks for: then items go
 * together again.
 */
const FREE_SHARE = 1 / 4;

/** A run that was checked. */
export interface RunPlan {
  readonly source: object;
  readonly call: Call;
  readonly inFlight: number;
  /** True if the user has given `inFlight`. Otherwise it grows for items that are cheap. */
  readonly isExact: boolean;
  readonly isOrdered: boolean;
  readonly onProgress: OnProgress | undefined;
  build(run: Run): Stages;
}

/** The stages of a run, from the source on. */
export interface Stages {
  readonly all: readonly Stage[];
  /** Stage to which the items of the source go. */
  readonly first: Stage;
  readonly results: {
    readonly size: number;
    /** The next item, if it is here; it has left then. */
    takeReady(): { readonly value: unknown } | undefined;
    /** The next item, when there is one; undefined after the last. The item has left then. */
    take(): Promise<{ readonly value: unknown } | undefined>;
  };
}

export class Run {
  readonly isOrdered: boolean;
  readonly call: Call;
  readonly places: Places;
  readonly horizon = new Horizon();
  /** Undefined unless somebody observes the run. */
  readonly watch: RunWatch | undefined;
  /** Takes the queues and waits of stages, if a timeline is recorded. */
  readonly notes: ReturnType<typeof Call.notesOf>;
  readonly #stages: Stages;
  readonly #source: Source;
  /** Number of places that there are at least; exactly so many if the user has said so. */
  readonly #inFlight: number;
  readonly #given: object;
  readonly #isExact: boolean;
  /** Numbers of places that the stages want. */
  readonly #wanted: (() => number)[] = [];
  /** Numbers of tasks that the stages have in flight. */
  readonly #tasks: (() => number)[] = [];
  /** Number of items that were read. */
  #readCount = 0;
  readonly #meters: Meter[] = [];
  readonly #reporter: Reporter | undefined;
  /** Number of loops that hand on items now. */
  #handing = 0;
  /** Functions to call when all items are handed on that were here at once. */
  readonly #deferred = new Set<() => void>();
  #isReading = false;
  /** Says when the event loop is due. */
  readonly #turns = new TurnClock();
  /** The turn that it is given now. */
  #turning: Promise<void> | undefined;
  /** True once the first stage knows that no more items come. */
  #hasEnded = false;
  readonly #onRoom: (() => void)[] = [];
  readonly #onRead: (() => void)[] = [];
  readonly #atEnd: (() => void)[] = [];
  readonly earlyEnd = new EarlyEnd();
  /** True while stages forget what is cut off: nothing begins then. */
  #isPruning = false;
  /** True once nothing is left of the run. */
  #isOver = false;
  /** True once the last stage has ended. */
  #isDone = false;
  /** True if somebody who uses the results holds the run open, so that it can still be cancelled. */
  #isHeld = false;
  #onCancel: ((error: unknown) => void) | undefined;
  readonly #ended: Promise<void>;
  #end: () => void = () => {};

  constructor({ source, call, inFlight, isExact, isOrdered, onProgress, build }: RunPlan) {
    this.call = call;
    this.isOrdered = isOrdered;
    this.#inFlight = inFlight;
    this.#isExact = isExact;
    this.#given = source;
    this.#reporter =
      onProgress &&
      new Reporter(
        () => onProgress(this.#progress),
        (error) => this.fail(WHOLE, error),
      );
    this.places = new Places(inFlight, { isOrdered, onRoom: () => this.#fill() });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    call.hold();
    this.watch = call.scope === undefined ? RunWatch.begin() : undefined;
    this.notes = Call.notesOf(call);
    try {
      this.#stages = build(this);
      this.#source = new Source(source, { called: 'the source of a pipeline', onArrival: () => this.#fill() });
    } catch (error) {
      call.end();
      throw error;
    }
    if (this.notes !== undefined) {
      const { places, notes } = this;
      this.atEnd(notes.gauge('items in flight', 'pipeline', () => places.size - places.free));
      this.atEnd(notes.gauge('results that wait for the reader', 'pipeline', () => this.#stages.results.size));
    }
    const cancel = (error: unknown): void => {
      this.fail(WHOLE, error);
      this.#onCancel?.(error);
    };
    call.tell({ cancel });
    void this.#read();
  }

  /** A stage says how many of its tasks are in flight. */
  counts(tasks: () => number): void {
    this.#tasks.push(tasks);
  }

  /** True if the workers have no work but that of the run. */
  get isAlone(): boolean {
    const own = this.#tasks.reduce((sum, tasks) => sum + tasks(), 0);
    return this.call.othersInFlight(own) <= 0;
  }

  /** Calls back whenever a place may be free: before the source is read. */
  onRoom(act: () => void): void {
    this.#onRoom.push(act);
  }

  /** Calls back whenever the source gives nothing more for now, or there is no place for it. */
  onRead(act: () => void): void {
    this.#onRead.push(act);
  }

  /** True while the source gives items. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Counts the items of a stage, if anybody wants to know. Stages are made from the last to the first. */
  meter(stage: string): Meter | undefined {
    if (this.#reporter === undefined && this.watch === undefined) return undefined;
    const meter = new Meter(stage, this.#reporter?.changed ?? (() => {}));
    this.#meters.unshift(meter);
    return meter;
  }

  get #progress(): PipelineProgress {
    const total = Array.isArray(this.#given) ? this.#given.length : this.#source.total; // it is read as it grows
    return { read: this.#readCount, total, stages: this.#meters.map(({ progress }) => progress) };
  }

  /** A stage says how many places it wants: 0 for no more than there are. */
  wants(places: () => number): void {
    this.#wanted.push(places);
  }

  /**
   * Adjusts the places when it is known better what an item takes. If items are so cheap that more of them should go together, and the reader is not
   * behind, more are read.
   */
  adjustPlaces(): void {
    if (this.#isExact) return;
    const { size } = this.places;
    const most = this.#stages.results.size * 2 > size ? size : 2 * size;
    const wanted = this.#wanted.reduce((least, places) => Math.min(least, places()), most);
    if (wanted !== size) this.places.resize(Math.max(this.#inFlight, wanted));
  }

  /** Does something that hands on items; what is deferred meanwhile is done at its end. */
  handOn(act: () => void): void {
    this.#handing++;
    try {
      act();
    } finally {
      this.#handing--;
      if (this.#handing === 0) {
        for (const deferred of this.#deferred) {
          this.#deferred.delete(deferred); // first: it may be deferred again
          deferred();
        }
      }
    }
  }

  /** Defers what is better done once for many items; false if no items are being handed on. */
  defers(act: () => void): boolean {
    if (this.#handing > 0) this.#deferred.add(act);
    return this.#handing > 0;
  }

  #fill(): void {
    if (this.#isPruning) return;
    for (const act of this.#onRoom) act();
    if (this.#isReading) return;
    const { size, free } = this.places;
    if (size === this.#inFlight || free >= size * FREE_SHARE || this.horizon.hasCut) void this.#read();
  }

  /** Reads items while there is room. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let hasMore = true; hasMore; ) {
      this.handOn(() => {
        hasMore = this.#readSome();
      });
      if (hasMore && this.#turns.isDue) await this.#turned();
    }
    this.#isReading = false;
    for (const act of this.#onRead) act();
    if (this.#source.isOver) this.#sourceEnded();
  }

  #turned(): Promise<void> {
    this.#turning ??= turn().then(() => {
      this.#turning = undefined;
      this.#turns.restart();
    });
    return this.#turning;
  }

  /**
   * Pause that the next task has to wait for, if its thread is the one that calls: a turn of the event loop now and then. Otherwise the run
   * would go on in microtasks, and if visits add items for ever, no other item would be read, and no timer would end the run.
   */
  get pause(): Promise<void> | undefined {
    if (!this.call.runsHere) return undefined;
    return this.#turns.isDue ? this.#turned() : this.#turning;
  }

  /** Reads items for a while; returns whether there may be more, and room for them. */
  #readSome(): boolean {
    const { first } = this.#stages;
    const startMs = performance.now();
    let count = 1;
    while (!this.horizon.hasCut && this.places.hasRoom) {
      const stretch = this.#take(Math.min(count, this.places.free));
      if (stretch === undefined) return false;
      let seq = stretch.first;
      for (const value of stretch.values) first.push({ leg: 0, seq: seq++, value, hold: this.places.take() });
      this.#readCount = seq;
      const looks = first.goesTogether === true || seq % READS_PER_LOOK === 0;
      if (looks && performance.now() - startMs >= READ_MS) return true;
      if (first.goesTogether === true) count = Math.min(2 * count, MAX_STRETCH);
    }
    return false;
  }

  #take(count: number): Stretch | undefined {
    try {
      return this.#source.take(count);
    } catch (error) {
      this.fail({ leg: 0, seq: this.#source.nextIndex }, error);
      return undefined;
    }
  }

  #sourceEnded(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stages.first.end();
  }

  /** Does something when nothing of the run is left. */
  atEnd(act: () => void): void {
    this.#atEnd.push(act);
  }

  get hasFailed(): boolean {
    return this.horizon.hasFailed;
  }

  /** Reason that cancelled work is told. */
  get reason(): unknown {
    return this.horizon.reason;
  }

  readonly isCut = this.horizon.isCut;

  /** Drops an item if it is of no use any more, and gives its place back; returns whether it has. */
  drops(item: Item): boolean {
    if (!this.isCut(item)) return false;
    item.hold.release();
    return true;
  }

  /** Notes a failure. What comes before it goes on, because it may fail, too; all else ends. */
  fail(rank: Rank, error: unknown): void {
    this.#cut(rank, { error }, 0);
  }

  /** Ends all that comes after this rank, which is not needed: as after a failure, but the run does not fail. */
  enough(rank: Rank): void {
    this.#cut(rank, undefined, SOURCE_PATIENCE_MS);
  }

  #cut(rank: Rank, failure: { readonly error: unknown } | undefined, patienceMs: number): void {
    if (!this.horizon.cut(rank, failure)) return;
    this.#isPruning = true;
    for (const stage of this.#stages.all) stage.prune();
    this.#isPruning = false;
    this.#close(patienceMs);
    this.#fill();
  }

  #close(patienceMs: number): void {
    this.earlyEnd.begin(() => this.#source.close(patienceMs, this.call.graceMs));
    this.#sourceEnded();
  }

  /** Holds the run open after its last item, so that it can still be cancelled. @param onCancel told once it is */
  hold(onCancel: (error: unknown) => void): void {
    this.#isHeld = true;
    this.#onCancel = onCancel;
    if (this.horizon.isWhole) onCancel(this.horizon.reason);
  }

  /** Lets a run end that is held open (`hold`). */
  release(): void {
    this.#isHeld = false;
    if (this.#isDone) this.over();
  }

  /** The last stage has ended: nothing runs any more. */
  over(): void {
    this.#isDone = true;
    if (this.#isOver || this.#isHeld) return;
    this.#isOver = true;
    for (const act of this.#atEnd) act();
    this.watch?.ended(this.#meters.map(({ use }) => use));
    for (const end of [() => this.#reporter?.end({ tells: !this.hasFailed }), () => this.call.end()])
      try {
        end();
      } catch (error) {
        if (!this.hasFailed) this.horizon.cut(WHOLE, { error }); // the user's callback or signal has thrown
      }
    this.#end();
  }

  /** The next item, if it is here. */
  takeReady(): { readonly value: unknown } | undefined {
    return this.#stages.results.takeReady();
  }

  /** The next item. @throws (rejects with) the failure that counts, after all that comes before it */
  async next(): Promise<{ readonly value: unknown } | undefined> {
    const item = await this.#stages.results.take();
    if (item !== undefined) return item;
    try {
      await this.earlyEnd.ended();
    } catch (error) {
      if (!this.hasFailed) throw error; // on top of a failure it is of no use
    }
    if (this.hasFailed) throw this.reason;
    return undefined;
  }

  /** Ends the run; resolves when nothing runs any more. @throws (rejects with) what the source, or a generator, throws when it is ended */
  async stop(): Promise<void> {
    this.#cut(WHOLE, { error: undefined }, SOURCE_PATIENCE_MS);
    this.release();
    await this.#ended;
    await this.earlyEnd.ended();
  }
}
