/**
 * Interface through which the library uses its runtime. There is one implementation for each runtime, chosen on first
 * use.
 *
 * Nothing above this folder names an API of Node, Bun, Deno or the browser.
 */

import type { AsyncWait } from '../memory/atomics.js';
import { setCollector } from '../memory/reclaim.js';

/** A text that stands for a value: an expression. */
export interface Script {
  /** Latin-1. */
  readonly text: string;
  /** Path by which stack traces name it. */
  readonly path: string;
  /** The runtime's compiled form of it, for other threads of this process; undefined where there is none. */
  compiled?(): Uint8Array | undefined;
}

/** Program of a worker. */
export interface WorkerProgram {
  /** Made or read when the first worker starts. */
  readonly scripts: () => readonly Script[];
  /** `scripts`, and after them everything that the worker may need later: for hosts whose workers may not be allowed to compile more texts. */
  readonly allScripts: () => readonly Script[];
  /** Fetches what `allScripts` lacks; undefined if there is no such thing. */
  readonly fetchAll: () => Promise<unknown> | undefined;
  /** The text of a function, which is called with the values of the scripts. */
  readonly main: string;
}

/** Codec by which views on shared memory cross: as numbers, never as bytes. */
export interface ViewCodec {
  /** Numbers that name the view's memory, or undefined to send the bytes. */
  encode(view: ArrayBufferView): number[] | undefined;
  decode(numbers: number[]): ArrayBufferView;
}

export interface SpawnOptions {
  /** Undefined where workers can be started by `createWorker` only. */
  readonly program: WorkerProgram | undefined;
  readonly name: string;
  /** For Node alone. */
  readonly node?: { readonly execArgv?: readonly string[] | undefined } | undefined;
  /** For browsers alone. */
  readonly browser?: { readonly workerUrl?: string | { readonly href: string } | undefined } | undefined;
  readonly resourceLimits?: Readonly<Record<string, number | undefined>> | undefined;
  /** Modules that the worker imports first. If a loader is among them, the runtime must not load it a second time. */
  readonly preload?: readonly string[];
  /** The user's own way to make a worker, instead of `program`. */
  readonly createWorker?: () => unknown;
}

export interface WorkerEvents {
  message(message: unknown): void;
  /** An error that the worker did not catch; `exit` follows. */
  error(error: unknown): void;
  /** Nothing of it runs any more. */
  exit(code: number): void;
  /** It is to end, whoever wants that, and may compute until `exit` or `runsOn` follows. */
  leaving(code: number): void;
  /** It should have ended, and nothing can end it: it may run on for as long as the process. No other event follows. */
  runsOn(): void;
  /** For runtimes that report an exit too early: true if it runs no tasks, as its own words in shared memory say. */
  hasLeft(): boolean;
}

/** A thread, as the thread that started it sees it. */
export interface WorkerThread {
  /**
   * Sends what the worker begins with. Apart from `spawn`, so that the threads of a pool start side by side: the first message
   * has the compiled scripts in it, which takes the sender 5 ms.
   *
   * @throws what cannot be sent; the thread is ended then
   */
  begin(data: unknown): void;
  /** @param transfer objects of the message that this thread has no more afterwards. @throws what the platform does not send */
  post(message: unknown, transfer?: readonly object[]): void;
  /**
   * Ends it; `exit` follows. If it computes, and only returning to its event loop would end it, it has a while to return, and then `runsOn`
   * follows. The library asks it to return beside (`REQUEST_CANCEL`).
   */
  terminate(): void;
  /** Tells the place that it is at, as lines of a stack trace; undefined if it does not answer. It is interrupted for a moment. */
  stack?(): Promise<string | undefined>;
  /** Lets the thread keep the process alive, or not. Without them, threads never do. */
  ref?(): void;
  unref?(): void;
  /** Delivers messages that have arrived to `message`, without an event-loop turn. Without it, they arrive with the next turn. */
  drainMessages?(): void;
  /**
   * Returns true while its event loop exists. False before it is online and once it is gone; answers without this thread's loop. Without
   * it, an owner that blocks misses a worker that ends without a word, and lets its workers end by themselves first when one has died.
   */
  isRunning?(): boolean;
}

/** The same thread from inside. */
export interface WorkerSide {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Takes messages that have arrived, without an event-loop turn. Without it, they arrive with the next turn. */
  drainMessages?(): void;
  /** Calls back when the thread exits by itself (`process.exit` in a task). */
  onExit?(listener: (code: number) => void): void;
  /** Lets promise rejections that nobody handled pass where `isHarmless` says so; others end the thread as ever. */
  onUnhandledRejection?(isHarmless: (error: unknown) => boolean): void;
  /** Calls back with an error that nothing in the thread caught, before the thread ends for it. */
  onUncaught?(listener: (error: unknown) => void): void;
  close(): void;
}

/** A file that is read piece by piece. */
export interface OpenedFile {
  /** From the root on. */
  readonly path: string;
  /** Bytes, as the platform tells it: 0 for what has no size, such as a pipe. */
  readonly size: number;
  /** The next piece, in memory that is used again; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/**
 * Channel on which monitoring listens (`node:diagnostics_channel`): publishes a message to those who have subscribed.
 */
export interface DiagnosticsChannel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

/** Services of a runtime with files for those who record what threads do. */
export interface RecordingHost {
  /**
   * Makes a file, or empties it. Its bytes are written at once.
   *
   * @param path in which `%p` stands for the process's id; other threads than the main one add their number to its name
   * @throws what the platform says
   */
  createFile(path: string): { write(bytes: Uint8Array, at: number): void };
  /** Blocks of the DEFLATE format that stand for bytes: they end at a whole byte, none of them is the last, and they refer to nothing before them. */
  deflate(bytes: Uint8Array): Uint8Array;
  /** Calls back when this thread ends, for what it does last. */
  onEnd(act: () => void): void;
  /**
   * Tells of each time that garbage was collected on this thread, in a later turn of its event loop; times are those of `performance.now()`. Undefined where the
   * runtime does not tell.
   */
  onCollected(tell: (startMs: number, ms: number) => void): CollectionWatch | undefined;
  /**
   * Tells when code goes on that has waited in its asynchronous context (`contextVariable`), and when it waits again or ends; one may be within
   * another. Returns a function that ends that. Undefined where the runtime does not tell.
   */
  onContinued?: ((begins: () => void, ends: () => void) => () => void) | undefined;
  /** This process, as people know it: the name of its program and its id. */
  readonly processName: string;
  /** Size of the part of this thread's heap that is in use (bytes). */
  heapBytes(): number;
  /** The lines, from 1 up, at which functions and classes are written. Undefined where the runtime does not tell. */
  linesOf(values: readonly (object | undefined)[]): readonly (number | undefined)[];
  /**
   * File in which `furcate top` looks for what this thread says of its pools, in a folder that only this user can read. The file ends with the
   * thread.
   *
   * @throws what the platform says
   */
  monitorFile(): MonitorFile;
}

export interface CollectionWatch {
  /** Tells at once of what the runtime knows: after a turn of the event loop, of all that was before. */
  tell(): void;
  /** Tells of the last, and of nothing more. */
  end(): void;
}

export interface MonitorFile {
  /** Identity of this process and thread, as people know it. */
  readonly process: { readonly pid: number; readonly thread: number; readonly program: string };
  /** Puts a text in the place of the one before, at once. */
  replace(text: string): void;
}

/** A value of each asynchronous context. */
export interface ContextVariable {
  get(): unknown;
  /** Calls a function in a context with another value. */
  run<R>(value: unknown, body: () => R): R;
}

/**
 * Services of a runtime. It must have the members without a question mark. The others say what it has besides: the library asks for the member,
 * never which runtime this is.
 */
export interface PlatformHost {
  /** Cores that this process may use, the container's quota included. */
  availableParallelism(): number;
  /** An environment variable. Without it there are none. */
  environment?(name: string): string | undefined;
  /** Reason why there can be no workers that share memory with this thread, and the cure. Without it, or undefined: there can. */
  lacksThreads?(): string | undefined;
  /** May this thread block (`Atomics.wait`)? */
  mayBlock(): boolean;
  spawn(options: SpawnOptions, events: WorkerEvents): WorkerThread;
  /** Inside a worker: calls `start` with what `spawn` sent and the way back, now or when it arrives. */
  onSpawned(start: (data: unknown, side: WorkerSide) => void): void;
  /** @throws NotShareableError for what the runtime cannot clone */
  serialize(value: unknown, views: ViewCodec): Uint8Array;
  deserialize(bytes: Uint8Array, views: ViewCodec): unknown;
  /**
   * Evaluates an expression in strict mode.
   *
   * @param path where stack traces say that it is
   */
  evaluate(text: string, path: string): unknown;
  importModule(url: string): Promise<unknown>;
  /** As `importModule`, for a CommonJS module: by `require`, whose hooks may compile it. */
  requireModule?(url: string): Promise<unknown>;
  /** Prepares imports, which the first import does otherwise: a loader may take seconds. */
  prepareImports?(): Promise<void>;
  /** Inside a worker: the URL of the module that the process was started with, if that is known. It may take a millisecond. */
  mainUrl?(): string | undefined;
  /** A clock that only goes forward, the same for all threads, milliseconds from any moment; cheap at its first call too. */
  nowMs(): number;
  /** Time for which the other threads of this process have used a processor, in all (milliseconds). */
  othersCpuMs?(): number;
  /** The number by which the operating system knows this thread; 0 if it does not tell. */
  osThread?(): number;
  /** Time for which a thread of this process has used a processor (milliseconds), by its `osThread`; undefined if the operating system does not tell. */
  cpuMsOf?(osThread: number): number | undefined;
  /** One turn of the event loop: finalizers, messages and stdio get their chance. */
  turn(): Promise<void>;
  /** Routes `console` output of a worker that never returns to its loop. */
  flushConsole?(): void;
  /** As `Atomics.waitAsync`, for engines without it; undefined if that cannot be had here. */
  waitAsync?(words: Int32Array, index: number, expected: number): AsyncWait | undefined;
  /** Calls back after `ms` without keeping the process alive; returns a cancel function. */
  backgroundTimer(ms: number, callback: () => void): () => void;
  /**
   * Checks whether this thread's event loop waits for something: timers, sockets, files. It may cost half a microsecond.
   */
  hasPending?(): boolean;
  /** Keeps this thread's event loop alive, until the function that it returns is called. */
  keepAlive?(): () => void;
  /** The function, in the asynchronous context of now. */
  bindContext?<F extends (...args: never[]) => unknown>(fn: F): F;
  /** A variable with a value for each asynchronous context. */
  contextVariable?(): ContextVariable;
  /** Collects garbage now, if the runtime lets it. */
  collectGarbage?(): void;
  /** The path of a file from the root on, which means the same in every thread. Without it there are no files. */
  pathOf?(path: string | URL): string;
  /** Opens a file by its path. Without it there are none. */
  openFile?(path: string | URL): Promise<OpenedFile>;
  /**
   * Reads a file from a position on, until `into` is full or the file ends; returns the number of bytes. This thread waits for them.
   *
   * @param goesOn whether this thread has read the file just before, for the same purpose: others must see a file that has taken its place
   * @throws what the platform says
   */
  readFileAt?(path: string, at: number, into: Uint8Array, goesOn: boolean): number;
  /** The channel of a name. Without it there are none. */
  channel?(name: string): DiagnosticsChannel;
  /** For those who record what threads do. */
  recording?(): RecordingHost;
  warn(message: string): void;
  /** Lets a signal have any number of listeners, of which the runtime warns otherwise. */
  allowListeners?(signal: object): void;
}

/** Values as bytes and back. */
export type ValueCodec = Pick<PlatformHost, 'serialize' | 'deserialize'>;

/**
 * Gives hosts without a serializer the codec of portable-codec.ts, which is a part of its own: who asks for it has it in its workers, too.
 *
 * @param isProxy tells proxies, where the host can. Structured cloning refuses them; without `isProxy` a proxy is copied as what it looks like
 */
export type PortableCodec = (isProxy?: (value: object) => boolean) => ValueCodec;

let current: PlatformHost | undefined;
let detect: () => PlatformHost | undefined = () => undefined;

/** Registers the way to find out what this thread runs on; it is called when the host is first needed. */
export function registerHost(detectHost: () => PlatformHost | undefined): void {
  detect = detectHost;
}

function knownHost(): PlatformHost | undefined {
  current ??= detect();
  return current;
}

setCollector(() => {
  const collectGarbage = knownHost()?.collectGarbage;
  collectGarbage?.();
  return collectGarbage !== undefined;
});

/** Host of the runtime on which this thread runs. @throws Error where that is nothing that the library knows */
export function host(): PlatformHost {
  const found = knownHost();
  if (found !== undefined) return found;
  if ('EdgeRuntime' in globalThis)
    throw new Error(
      "furcate: an edge runtime has neither threads nor messages. Run this route on Node: export const runtime = 'nodejs'.",
    );
  throw new Error(
    'furcate: this JavaScript runtime is not supported: it is neither a browser nor has it the modules of Node 20.19, or 22.3 or later.',
  );
}

/** Returns true if there are environment variables. */
export const hasEnvironment = (): boolean => knownHost()?.environment !== undefined;

/** An environment variable; `undefined` where it is not set, and where there is no environment. */
export const environmentVariable = (name: string): string | undefined => knownHost()?.environment?.(name);

/** A file by its path; undefined where there are none. */
export const openFile = (path: string | URL): Promise<OpenedFile> | undefined => knownHost()?.openFile?.(path);

/** One turn of this thread's event loop: for timers and sockets of the program. */
export const turn = (): Promise<void> => host().turn();
