/** Threads that do nothing by themselves, in the place of workers: a unit test sees what they are told, and says what becomes of them. */
import { ControlMemory } from '../../src/core/memory/control.js';
import {
  type PlatformHost,
  registerHost,
  type SpawnOptions,
  type WorkerEvents,
  type WorkerThread,
} from '../../src/core/platform/host.js';
import { detectNode } from '../../src/core/platform/node.js';
import type { WorkerData } from '../../src/core/worker/serve.js';

export class Imitation implements WorkerThread {
  readonly name: string;
  readonly events: WorkerEvents;
  readonly posted: unknown[] = [];
  data: WorkerData | undefined;
  isReferenced = false;
  isTerminated = false;
  drained = 0;
  hasExited = false;
  /** Whether its event loop exists; it is asked each time. */
  running: () => boolean = () => true;
  readonly #log: string[];

  constructor({ name }: SpawnOptions, events: WorkerEvents, log: string[]) {
    this.name = name;
    this.events = events;
    this.#log = log;
    log.push(`${name} made`);
  }

  begin(data: unknown): void {
    this.data = data as WorkerData;
    this.#log.push(`${this.name} begins`);
  }
  post(message: unknown): void {
    this.posted.push(message);
  }
  ref(): void {
    this.isReferenced = true;
  }
  unref(): void {
    this.isReferenced = false;
  }
  terminate(): void {
    this.isTerminated = true;
  }
  drainMessages(): void {
    this.drained++;
  }
  isRunning(): boolean {
    return this.running();
  }

  /** Ends the thread, unless it has ended. */
  exit(code: number): void {
    if (this.hasExited) return;
    this.hasExited = true;
    this.events.exit(code);
  }

  /** The memory of its worker group. */
  get memory(): ControlMemory {
    const { control, layout, tag } = this.data as WorkerData;
    return new ControlMemory(control, layout, tag);
  }
}

export interface ImitatingHost {
  /** All threads, in the order in which they were made. */
  readonly threads: Imitation[];
  /** What happened to them, in order. */
  readonly log: string[];
  readonly warnings: string[];
  /** Timers of the library that were set and not stopped; a test calls them. */
  readonly timers: Set<{ readonly ms: number; readonly callback: () => void }>;
  forget(): void;
  forgetLog(): void;
}

/** Makes all worker groups of this test file use such threads. */
export function imitateThreads(): ImitatingHost {
  const host: ImitatingHost = {
    threads: [],
    log: [],
    warnings: [],
    timers: new Set(),
    forget() {
      for (const thread of [...host.threads]) if (thread.isTerminated) thread.exit(1); // every thread that is terminated ends
      for (const list of [host.threads, host.log, host.warnings]) list.length = 0;
      host.timers.clear();
    },
    forgetLog() {
      host.log.length = 0;
    },
  };
  registerHost(() => ({
    ...(detectNode() as PlatformHost),
    spawn(options, events) {
      const thread = new Imitation(options, events, host.log);
      host.threads.push(thread);
      return thread;
    },
    hasPending: () => false, // what the test has is not a worker's
    warn: (message) => void host.warnings.push(message),
    backgroundTimer(ms, callback) {
      const timer = { ms, callback };
      host.timers.add(timer);
      return () => void host.timers.delete(timer);
    },
  }));
  return host;
}
