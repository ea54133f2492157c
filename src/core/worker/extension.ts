/**
 * The work of optional parts of the library. The core calls `hooks`; a part installs its own (`install`) when it is
 * evaluated, and that is when a hook that needs it is first called. No hook is on the fast path of a fork or a join.
 */
import { hasPart, isGettable, part, publishPart, withPart } from '../library/parts.js';
import type { ControlMemory } from '../memory/control.js';
import type { Pins } from '../memory/pins.js';
import type { LimitWait } from '../observe/limit-wait.js';
import type { Observer } from '../observe/observer.js';
import type { RecordHome } from '../observe/record-home.js';
import type { TimelineNotes } from '../observe/timeline-notes.js';
import type { WatchedPool } from '../observe/watched-pool.js';
import type { ForkJoinTask } from '../task/fork-join-task.js';
import type { PoolView, WorkerSlot } from './worker-slot.js';

/** Takes the reports of one invocation; on the owner. */
export interface Listener {
  /**
   * Hands over what was reported, in order, for some milliseconds.
   *
   * @param record of the root
   * @param isLast whether there is no later time for it
   * @returns false if reports are left, for the next turn of the event loop
   * @throws what `onReport` throws; then it takes no more
   */
  deliver(record: number, isLast: boolean): boolean;
}

/** As `Listener`, where there are no workers. */
export interface HereListener {
  /** Names the invocation, for tasks that report. */
  readonly invocation: number;
  /** Hands over what is left. @throws what `onReport` has thrown */
  end(): void;
}

/** An asynchronous task that runs without workers. */
export interface Alone {
  cancel(error: unknown): void;
  /** Ends it, once it is cancelled, although its promise does not settle. */
  abandon(): void;
}

/** An event of a pool, as monitoring hears of it. */
export interface Told {
  /** Names the pool among those with the same name. */
  readonly of: object;
  readonly pool: string;
  /** The name of the task that was invoked. */
  readonly task?: string;
  /** Its result. */
  readonly result?: Promise<unknown>;
  /** The end of a worker that should not have ended. */
  readonly crash?: {
    readonly worker: { readonly name: string; readonly error: unknown };
    readonly exitCode: number;
    readonly endedBecause?: string;
  };
  /** The counts of threads up to now. */
  counts(): { readonly stolen: number; readonly failedSteals: number; readonly emptySteals: number };
}

/** A worker group, as it is seen by what starts its spares. */
export interface SpareHome {
  readonly memory: ControlMemory;
  readonly settings: { readonly name: string; readonly checked: boolean };
  /** Set once a spare could not start: then no other is tried. */
  lacksSpares: boolean;
  /** The thread on a slot, if there is one. */
  threadOf(slot: number): object | undefined;
  /** Starts a thread on a slot. */
  startMember(slot: number): void;
}

/** Everything that a part may do. */
export interface Hooks {
  /** A thread has taken an asynchronous task: begins it. Its record is completed later. Never throws. */
  begin(own: WorkerSlot, record: number, task: ForkJoinTask<unknown>): void;
  /** Returns true if asynchronous tasks have begun on this thread that have not ended. They need turns of its event loop. */
  awaits(): boolean;
  /**
   * The stack is empty: goes on with asynchronous tasks that wait here, for about 2 ms.
   *
   * @param isHelper whether this thread takes any task (role.ts)
   * @returns whether it did anything, so that the event loop is due
   */
  serve(own: WorkerSlot, isHelper: boolean): boolean;
  /**
   * Returns true if another thread should take a task, by its record, because it is asynchronous, and this one has begun more of
   * such tasks.
   */
  leaves(own: WorkerSlot, record: number): boolean;
  /** Returns true if `serve` would do something: a part of the last look before this thread sleeps. */
  hasWork(own: WorkerSlot): boolean;
  /**
   * This thread sleeps while its event loop goes on.
   *
   * @param wake is called when an asynchronous task can go on
   * @returns what is called when it wakes up; undefined if there are no asynchronous tasks
   */
  parked(own: WorkerSlot, wake: () => void): (() => void) | undefined;
  /** Thieves ask for tasks: offers forks of asynchronous tasks; all of them, or half. */
  feed(own: WorkerSlot, all: boolean): void;
  /** A request to cancel has been seen, which may concern asynchronous tasks. */
  cancelled(): void;
  /** `checkpoint` outside of the stack, while asynchronous tasks await here. */
  checkpoint(): void;
  /**
   * Runs an asynchronous task and all that it forks on this thread, without workers.
   *
   * @param pool what its tasks see as their pool
   * @param invocation names it, for reports
   * @param watch is given the task, to cancel it, and returns a function that is called when the task has ended
   * @param look throws once the task has to end, for the synchronous tasks that it forks; undefined if nothing can end it
   * @param isBeside whether it is one of several tasks of a call (`Mark.arrive`)
   */
  alone(
    task: ForkJoinTask<unknown>,
    pool: PoolView,
    invocation: number,
    watch: (running: Alone) => () => void,
    look: (() => void) | undefined,
    isBeside: boolean,
  ): Promise<unknown>;

  /** A worker has found nothing to do: what its jobs have left is dropped. */
  idle(): void;
  /** `REQUEST_LOOK` was set, and this thread forks or joins. Never throws. */
  look(own: WorkerSlot): void;

  /** Makes an observer that counts what tasks of this thread cost. @param mode as `C_OBSERVED` */
  observer(mode: number, own: WorkerSlot): Observer;
  /**
   * A worker group is about to be used, and it may have to be recorded; on its owner. @returns what `C_OBSERVED` is to be: 0, or below 0
   */
  record(memory: ControlMemory, home: RecordHome): number;
  /** Makes an observer that records what this thread does. @param mode as `C_OBSERVED` */
  recorder(own: WorkerSlot, mode: number): Observer;
  /** Gives flows and clusters of this thread a place for notes; undefined if nobody records. @param trace the file that their pool is to write */
  notes(trace: RecordHome['settings']['trace']): TimelineNotes | undefined;
  /** The threads of a worker group are gone, and its memory is about to be. */
  ended(memory: ControlMemory): void;

  /** Something has been in flight for some time on the owner of a pool: looks for tasks that stall. @param home a `StallHome` of core/pool */
  guard(home: object): void;

  /** Limits of this thread that tasks wait for. */
  limits(): readonly LimitWait[];

  /** Something was submitted, or ended by a crash, and somebody listens; on the owner. */
  told(what: Told): void;

  /** A pool has begun to use threads, and the environment asks for monitoring (`FURCATE_MONITOR`); on the owner. */
  watched(pool: WatchedPool): void;

  /** A task reports a value: links it into the list of a root, whose head is the word `list`. */
  report(memory: ControlMemory, list: number, value: unknown): void;
  /**
   * An invocation wants reports. Undefined in a bundle without the part: nothing in such a program can report.
   *
   * @param pins of the invocation, which may go on with the arrays that it reports
   * @param again is called in the next turn of the event loop if reports are left
   */
  listen(
    memory: ControlMemory,
    onReport: (value: unknown) => void,
    pins: Pins,
    again: () => void,
  ): Listener | undefined;

  /** As `report`, without workers. */
  reportHere(invocation: number, value: unknown): void;
  /** As `listen`, without workers. @param threw is called with what `onReport` throws while tasks run */
  listenHere(onReport: (value: unknown) => void, threw: (error: unknown) => void): HereListener | undefined;

  /**
   * An invocation is to carry a value: makes its block. Undefined in a bundle without the part: nothing in such a program can read it.
   *
   * @throws NotShareableError; RangeError when the heap has no room
   */
  carry(
    memory: ControlMemory,
    value: unknown,
  ): { readonly block: number; readonly codes: ReadonlySet<number> } | undefined;
  /** The value of such a block. */
  carried(block: number): unknown;
  /**
   * As `carry`, without workers.
   *
   * @param invocation names it; without it, `carryHere` does
   */
  carryHere(value: unknown, invocation: number | undefined): { readonly invocation: number; end(): void } | undefined;
  /** As `carried`, without workers. */
  carriedHere(invocation: number): unknown;

  /** A spare has been in reserve for long enough: returns whether it has left the worker group. */
  leave(own: WorkerSlot): boolean;
  /** So many threads are blocked: starts spares until there are so many, unless the pool may not have them. */
  blocked(home: SpareHome, count: number): void;
  /** A thread with residents lends its place to a spare; returns what ends that. Undefined if no spare can come, or nothing here can block. */
  lend(own: WorkerSlot): (() => void) | undefined;
  /** A spare is gone: it has rested for long enough, or it could not start. */
  gone(home: SpareHome, couldStart: boolean, error: unknown): void;
}

/** A part, as the core knows it. */
export type Extension = Partial<Hooks>;

/** Evaluates a part, which puts its own functions into `hooks`. */
function by(name: string): Hooks {
  part(name);
  return hooks;
}

/** The hooks as they are now. Before its part is evaluated, a hook either evaluates it, or has nothing to do. */
export const hooks: Hooks = {
  begin: (own, record, task) => by('coroutines').begin(own, record, task),
  awaits: () => false,
  serve: () => false,
  leaves: () => false,
  hasWork: () => false,
  parked: () => undefined,
  feed() {},
  cancelled() {},
  checkpoint() {},
  alone: (...args) => by('coroutines').alone(...args),
  idle() {},
  look() {},
  observer: (mode, own) => by('observing').observer(mode, own),
  record(memory, home) {
    let mode = 0;
    whenHere('observing', () => {
      mode = hooks.record(memory, home);
    });
    return mode;
  },
  recorder: (own, mode) => by('observing').recorder(own, mode),
  notes(trace) {
    let notes: TimelineNotes | undefined;
    if (trace !== undefined)
      whenHere('observing', () => {
        notes = hooks.notes(trace);
      });
    return notes;
  },
  ended() {},
  guard: (home) => whenHere('stalls', () => hooks.guard(home)),
  limits: () => [],
  told: (what) => whenHere('channels', () => hooks.told(what)),
  watched: (pool) => whenHere('channels', () => hooks.watched(pool)),
  report: (memory, list, value) => by('reports').report(memory, list, value),
  listen: (memory, onReport, pins, again) =>
    offered('reports') ? by('reports').listen(memory, onReport, pins, again) : undefined,
  reportHere() {},
  listenHere: (onReport, threw) => (hasPart('reports') ? by('reports').listenHere(onReport, threw) : undefined),
  carry: (memory, value) => (offered('reports') ? by('reports').carry(memory, value) : undefined),
  carried: (block) => by('reports').carried(block),
  carryHere: (value, invocation) => (hasPart('reports') ? by('reports').carryHere(value, invocation) : undefined),
  carriedHere: () => undefined,
  leave: (own) => by('spares').leave(own),
  blocked: (home, count) => by('spares').blocked(home, count),
  lend: (own) => (hasPart('spares') ? by('spares').lend(own) : undefined),
  gone: (home, couldStart, error) => by('spares').gone(home, couldStart, error),
};

/** Hooks that tell all who listen, in the order in which their parts were evaluated. Any other has one part that does it. */
const NOTICES: readonly (keyof Hooks)[] = ['feed', 'cancelled', 'idle', 'look'];
const taken = new Set<string>();

/** A part is evaluated: its hooks are called from now on. @throws Error if another part does already what one part does */
export function install(extension: Extension): void {
  for (const [name, act] of Object.entries(extension) as [keyof Hooks, (...args: never[]) => unknown][]) {
    const before = hooks[name] as typeof act;
    const isSecond = taken.has(name);
    taken.add(name);
    if (isSecond && !NOTICES.includes(name))
      throw new Error(`furcate: two parts do '${name}'; this is a bug of the library.`);
    const both = (...args: never[]): void => {
      before(...args);
      act(...args);
    };
    Object.assign(hooks, { [name]: isSecond ? both : act });
  }
}

/** Does something once a part is evaluated, which is fetched for that; does nothing in a copy of the library that cannot get it. */
function whenHere(name: string, act: () => void): void {
  if (!isGettable(name)) return;
  withPart(name, async () => act()).catch(() => {}); // it was for information only
}

/** Publishes a part for workers, unless this copy of the library lacks it; returns whether it has it. */
export function offered(name: string): boolean {
  if (!hasPart(name)) return false;
  publishPart(name);
  return true;
}
