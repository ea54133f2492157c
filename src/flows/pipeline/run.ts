/**
 * One run of a pipeline: places in flight, the failure that counts, and the end; runs on the calling thread.
 *
 * Everything is driven by what happens: an item is read when a place is free, and goes on when the stage that it is in has done with it. The
 * first place where this may stall is the source, so nothing ever waits for a place while it holds one.
 */
import { type AdmittedCall, Lease } from '../../core/engine.js';
import { type Item, isAfter, type Rank, type Stage, WHOLE } from './item.js';
import { Places } from './places.js';
import { Source } from './source.js';

/** A run that was checked. */
export interface RunPlan {
  readonly source: object;
  readonly call: AdmittedCall;
  readonly inFlight: number;
  readonly isOrdered: boolean;
  build(run: Run): Stages;
}

/** The stages of a run, from the source on. */
export interface Stages {
  readonly all: readonly Stage[];
  /** Where the items of the source go. */
  readonly first: Stage;
  readonly outlet: {
    /** The next item, when there is one; undefined after the last. The item has left then. */
    take(): Promise<{ readonly value: unknown } | undefined>;
  };
}

export class Run {
  readonly isOrdered: boolean;
  readonly lease: Lease;
  readonly call: AdmittedCall;
  readonly places: Places;
  readonly #stages: Stages;
  readonly #source: Source;
  #read = 0;
  #failure: { readonly rank: Rank; readonly error: unknown } | undefined;
  readonly #onRoom: (() => void)[] = [];
  readonly #atEnd: (() => void)[] = [];
  #closed: Promise<void> | undefined;
  /** While a failure is dealt with, nothing begins. */
  #isPruning = false;
  #isOver = false;
  #isDone = false;
  /** Whether somebody who uses the results holds the run open, so that it can still be cancelled. */
  #isHeld = false;
  #onCancel: ((error: unknown) => void) | undefined;
  readonly #ended: Promise<void>;
  #end: () => void = () => {};

  constructor({ source, call, inFlight, isOrdered, build }: RunPlan) {
    this.call = call;
    this.isOrdered = isOrdered;
    this.places = new Places(inFlight, { isOrdered, onRoom: () => this.#fill() });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.lease = new Lease(call);
    try {
      const stages = build(this);
      const { first } = stages;
      this.#stages = stages;
      this.#source = new Source(source, {
        hasRoom: () => this.places.hasRoom,
        item: (value) => first.push({ line: 0, seq: this.#read++, value, hold: this.places.take() }),
        end: () => first.end(),
        failed: (error) => this.fail({ line: 0, seq: this.#read }, error),
      });
    } catch (error) {
      this.lease.end();
      throw error;
    }
    const cancel = (error: unknown): void => {
      this.fail(WHOLE, error);
      this.#onCancel?.(error);
    };
    this.lease.tell({ cancel, abandon() {} });
    void this.#source.read();
  }

  /** Calls back whenever a place may be free: before the source is read. */
  onRoom(act: () => void): void {
    this.#onRoom.push(act);
  }

  #fill(): void {
    if (this.#isPruning) return;
    for (const act of this.#onRoom) act();
    if (this.#failure === undefined) void this.#source.read();
  }

  /** Does something when nothing of the run is left. */
  atEnd(act: () => void): void {
    this.#atEnd.push(act);
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** What cancelled work is told. */
  get reason(): unknown {
    return this.#failure?.error;
  }

  /** Whether something is of no use any more, because what comes before it has failed. */
  readonly isMoot = (rank: Rank): boolean => this.#failure !== undefined && isAfter(rank, this.#failure.rank);

  /** Drops an item that is of no use any more. */
  drops(item: Item): boolean {
    if (!this.isMoot(item)) return false;
    item.hold.release();
    return true;
  }

  /** Notes a failure. What comes before it goes on, because it may fail, too; all else ends. */
  fail(rank: Rank, error: unknown): void {
    if (this.#failure !== undefined && !isAfter(this.#failure.rank, rank)) return;
    this.#failure = { rank, error };
    this.#isPruning = true;
    for (const stage of this.#stages.all) stage.prune();
    this.#isPruning = false;
    this.#close();
    this.#fill();
  }

  #close(): void {
    this.#closed ??= this.#source.close();
    this.#closed.catch(() => {}); // whoever waits for the end hears of it
  }

  /** Holds the run open after its last item, so that it can still be cancelled. @param onCancel told once it is */
  hold(onCancel: (error: unknown) => void): void {
    this.#isHeld = true;
    this.#onCancel = onCancel;
    if (this.#failure?.rank === WHOLE) onCancel(this.#failure.error);
  }

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
    try {
      this.lease.end();
    } catch (error) {
      this.#failure ??= { rank: WHOLE, error }; // the user's signal has thrown
    }
    this.#end();
  }

  /** The next item. @throws (rejects with) the failure that counts, after all that comes before it */
  async next(): Promise<{ readonly value: unknown } | undefined> {
    const item = await this.#stages.outlet.take();
    if (item !== undefined) return item;
    await this.#closed?.catch(() => {}); // the source's own error on top of a failure is of no use
    if (this.#failure !== undefined) throw this.#failure.error;
    return undefined;
  }

  /** Ends the run; resolves when nothing runs any more. @throws (rejects with) what the source throws when it is closed */
  async stop(): Promise<void> {
    this.fail(WHOLE, undefined);
    this.release();
    await this.#ended;
    await this.#closed;
  }
}
