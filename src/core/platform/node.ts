/**
 * Node as a host: worker_threads, v8's serializer, synchronous output. No static import: one build serves every runtime.
 */
import { show } from '../errors.js';
import type { Host, SpawnOptions, ViewCodec, WorkerEvents, WorkerSide, WorkerThread } from './host.js';
import { nodeCodec, type V8 } from './node-codec.js';
import { BOOTSTRAP, evaluateScript, sharedScript, WORKER_MARK, workersImport } from './node-script.js';
import { type TsxModules, tsxFor } from './node-tsx.js';

/** The little of Node's API that is used here, so that the published types need no `@types/node`. */
interface NodePort {
  postMessage(message: unknown, transfer?: readonly unknown[]): void;
  on(event: 'message', listener: (message: unknown) => void): void;
  unref(): void;
  close(): void;
}
interface NodeWorker extends NodePort {
  on(event: string, listener: (value: never) => void): void;
  ref(): void;
  terminate(): Promise<number>;
  performance: { eventLoopUtilization(): { idle: number; active: number } };
}
interface WorkerThreads {
  Worker: new (source: string, options: object) => NodeWorker;
  MessageChannel: new () => { port1: NodePort; port2: NodePort };
  parentPort: (NodePort & { once(event: 'message', listener: (message: unknown) => void): void }) | null;
  workerData: unknown;
  receiveMessageOnPort(port: NodePort): { message: unknown } | undefined;
}
interface FileSystem {
  readFileSync(path: string, encoding: string): string;
  writeSync(fd: number, data: string | Uint8Array): number;
}
interface OperatingSystem {
  availableParallelism(): number;
}
/** Loaded when they are needed: `worker_threads` takes a main thread 3 ms, and `v8` a fresh worker 1 ms. */
interface Builtins {
  worker_threads: WorkerThreads;
  fs: FileSystem;
  os: OperatingSystem;
  v8: V8;
}
interface Output {
  fd: number;
  _write(chunk: string | Uint8Array, encoding: string, done: (error?: Error) => void): void;
  _writev?: unknown;
}
interface NodeProcess {
  getBuiltinModule?(name: string): unknown;
  versions: Record<string, string>;
  env: Record<string, string | undefined>;
  execArgv: string[];
  argv: string[];
  cwd(): string;
  on(event: string, listener: (value: never) => void): void;
  exit(code?: number): never;
  hrtime(): [seconds: number, nanoseconds: number];
  emitWarning(message: string, type: string): void;
  stdout: Output;
  stderr: Output;
}

/** By its methods: bundlers and wrappers have Workers of their own. */
const isWorker = (value: unknown): boolean =>
  ['on', 'postMessage', 'ref', 'unref', 'terminate'].every(
    (name) => typeof Object(value)[name as keyof object] === 'function',
  );

const isMarked = (data: unknown): boolean => typeof data === 'object' && data !== null && WORKER_MARK in data;

export function detectNode(): Host | undefined {
  const process = (globalThis as unknown as { process?: NodeProcess }).process;
  if (process?.versions?.node === undefined || typeof process.getBuiltinModule !== 'function') return undefined;
  return new NodeHost(process, (name) => process.getBuiltinModule?.(`node:${name}`));
}

/**
 * Asks a worker's event loop for its idle time, which is negative once the thread is gone, before any event tells.
 *
 * The public form answers only after this thread has heard that the worker is up, which it never does if it blocks from
 * the start; so the handle beneath is asked, and where that is not to be found, a worker not heard of counts as alive.
 */
function loopProbe(worker: NodeWorker): () => boolean {
  const key = Object.getOwnPropertySymbols(worker).find(({ description }) => description === 'kHandle');
  const handle = key && (worker as unknown as Record<symbol, { loopIdleTime?(): number } | undefined>)[key];
  if (typeof handle?.loopIdleTime === 'function') return () => (handle.loopIdleTime as () => number)() >= 0;
  let heard = false;
  worker.on('online', () => {
    heard = true;
  });
  return () => {
    const { idle, active } = worker.performance.eventLoopUtilization();
    return !heard || (idle >= 0 && idle + active > 0);
  };
}

class NodeHost implements Host {
  readonly #process: NodeProcess;
  readonly #builtin: (name: string) => unknown;
  #codec: ReturnType<typeof nodeCodec> | undefined;
  /** What this worker is to load before it imports anything. */
  #tsx: TsxModules = [];
  #prepared: Promise<void> | undefined;

  constructor(process: NodeProcess, builtin: (name: string) => unknown) {
    this.#process = process;
    this.#builtin = builtin;
  }

  #load<Name extends keyof Builtins>(name: Name): Builtins[Name] {
    return this.#builtin(name) as Builtins[Name];
  }

  availableParallelism(): number {
    return Math.max(1, Math.min(this.#load('os').availableParallelism(), this.#cgroupQuota()));
  }

  /** Cores that the container may use on average, rounded up; infinite without a quota. */
  #cgroupQuota(): number {
    const [quota, period] = this.#read('/sys/fs/cgroup/cpu.max')?.split(' ') ?? [
      this.#read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us') ?? 'max',
      this.#read('/sys/fs/cgroup/cpu/cpu.cfs_period_us') ?? '1',
    ];
    const cores = Number(quota) / Number(period);
    return cores > 0 ? Math.ceil(cores) : Number.POSITIVE_INFINITY;
  }

  #read(path: string): string | undefined {
    try {
      return this.#load('fs').readFileSync(path, 'utf8').trim();
    } catch {
      return undefined;
    }
  }

  environment(name: string): string | undefined {
    return this.#process.env[name];
  }

  mayBlock(): boolean {
    return true;
  }

  spawn(options: SpawnOptions, events: WorkerEvents): WorkerThread {
    const { library, name, createWorker, execArgv, resourceLimits, preload } = options;
    const { Worker, MessageChannel } = this.#load('worker_threads');
    // To pipe its output, Node would open this thread's own streams first: 1 to 2 ms before the worker starts.
    const isUnpiped = !this.#mayPrintEarly(execArgv);
    const worker =
      createWorker === undefined
        ? new Worker(BOOTSTRAP, {
            eval: true,
            name,
            workerData: {},
            stdout: isUnpiped,
            stderr: isUnpiped,
            execArgv,
            resourceLimits,
          })
        : (createWorker() as NodeWorker);
    if (!isWorker(worker)) {
      throw new TypeError(
        `furcate: createWorker() must return a Worker of node:worker_threads; it was ${show(worker)}.`,
      );
    }
    const { port1, port2 } = new MessageChannel();
    const begin = (data: unknown): void => {
      try {
        const own = createWorker === undefined;
        const script = own ? sharedScript(library) : undefined;
        const tsx = own ? tsxFor(this.#process, this.#builtin, execArgv, preload) : undefined;
        worker.postMessage({ [WORKER_MARK]: { data, port: port2, script, tsx } }, [port2]);
      } catch (error) {
        void worker.terminate(); // it would wait for ever
        throw error;
      }
    };
    const drainMessages = (): void => this.#drain(port1, (message) => events.message(message));
    let exited = false;
    const isLoopAlive = loopProbe(worker);
    port1.on('message', (message) => events.message(message));
    port1.unref();
    worker.on('error', (error: unknown) => events.error(error));
    worker.on('exit', (code: number) => {
      exited = true;
      drainMessages(); // last words that arrived with the exit: why it could not start, for one
      port1.close();
      events.exit(code);
    });
    worker.unref();
    return {
      begin,
      post: (message) => port1.postMessage(message),
      ref: () => worker.ref(),
      unref: () => worker.unref(),
      terminate: () => void worker.terminate(),
      drainMessages,
      isRunning: () => !exited && isLoopAlive(),
    };
  }

  #drain(port: NodePort, receive: (message: unknown) => void): void {
    const { receiveMessageOnPort } = this.#load('worker_threads');
    for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port))
      receive(got.message);
  }

  /** Can anything print in a worker before the library does, which writes to the descriptors itself (`flushConsole`)? */
  #mayPrintEarly(execArgv: readonly string[] = this.#process.execArgv): boolean {
    return execArgv.length > 0 || ['NODE_OPTIONS', 'NODE_DEBUG'].some((name) => Boolean(this.environment(name)));
  }

  onSpawned(start: (data: unknown, side: WorkerSide) => void): void {
    const { workerData, parentPort } = this.#load('worker_threads');
    const begin = (given: unknown): void => {
      const { data, port, tsx } = (given as Record<string, { data: unknown; port: NodePort; tsx?: TsxModules }>)[
        WORKER_MARK
      ];
      this.#tsx = tsx ?? [];
      start(data, this.#sideOf(port));
    };
    if (parentPort === null) return;
    if (isMarked(workerData)) begin(workerData);
    else parentPort.once('message', (message) => isMarked(message) && begin(message)); // the user's own worker file
  }

  #sideOf(port: NodePort): WorkerSide {
    let listener: (message: unknown) => void = () => {};
    return {
      post: (message) => port.postMessage(message),
      onMessage(next) {
        listener = next;
        port.on('message', (message) => listener(message));
        port.unref();
      },
      drainMessages: () => this.#drain(port, (message) => listener(message)),
      onExit: (then) => this.#process.on('exit', then),
      onUnhandledRejection: (isHarmless) =>
        this.#process.on('unhandledRejection', (error: unknown) => {
          if (!isHarmless(error)) throw error;
        }),
      onUncaught: (then) => this.#process.on('uncaughtExceptionMonitor', then),
      close: () => this.#process.exit(0),
    };
  }

  serialize(value: unknown, views: ViewCodec): Uint8Array {
    this.#codec ??= nodeCodec(this.#load('v8'));
    return this.#codec.serialize(value, views);
  }

  deserialize(bytes: Uint8Array, views: ViewCodec): unknown {
    this.#codec ??= nodeCodec(this.#load('v8'));
    return this.#codec.deserialize(bytes, views);
  }

  evaluate(text: string, path: string): unknown {
    return evaluateScript(text, path).value;
  }

  async importModule(url: string): Promise<unknown> {
    await this.prepareImports();
    return this.#import(url);
  }

  #import(url: string): Promise<unknown> {
    return workersImport()?.(url) ?? import(/* @vite-ignore */ /* webpackIgnore: true */ url);
  }

  prepareImports(): Promise<void> {
    this.#prepared ??= this.#registerTsx();
    return this.#prepared;
  }

  async #registerTsx(): Promise<void> {
    try {
      for (const url of this.#tsx) ((await this.#import(url)) as { register(): unknown }).register();
    } catch (error) {
      this.warn(`furcate: the workers could not register tsx, under which this process runs: ${error}`);
    }
  }

  /** Not `performance`, which a fresh worker takes half a millisecond to load. */
  nowMs(): number {
    const [seconds, nanoseconds] = this.#process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  }

  turn(): Promise<void> {
    return new Promise((resume) => {
      (globalThis as unknown as { setImmediate(callback: () => void): void }).setImmediate(resume);
    });
  }

  flushConsole(): void {
    // A worker's output goes through the main thread's loop, and is lost when the worker never returns to its own.
    for (const [fd, output] of [this.#process.stdout, this.#process.stderr].entries()) {
      output._writev = undefined;
      output._write = (chunk, _encoding, done) => {
        this.#writeAll(fd + 1, chunk);
        done();
      };
    }
  }

  #writeAll(fd: number, chunk: string | Uint8Array): void {
    let rest = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    while (rest.byteLength > 0) {
      try {
        rest = rest.subarray(this.#load('fs').writeSync(fd, rest));
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN') return; // a full pipe drains; a closed one never will
      }
    }
  }

  backgroundTimer(ms: number, callback: () => void): () => void {
    const timers = globalThis as unknown as {
      setTimeout(callback: () => void, ms: number): { unref(): void };
      clearTimeout(timer: unknown): void;
    };
    const timer = timers.setTimeout(callback, ms);
    timer.unref();
    return () => timers.clearTimeout(timer);
  }

  warn(message: string): void {
    // A worker may be ended before its next tick, when emitWarning() would print.
    if (isMarked(this.#load('worker_threads').workerData))
      this.#writeAll(2, new TextEncoder().encode(`FurcateWarning: ${message}\n`));
    else this.#process.emitWarning(message, 'FurcateWarning');
  }
}
