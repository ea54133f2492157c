/**
 * Node as a host: worker_threads, v8's serializer, synchronous output. It imports nothing from Node, and loads Node's modules when
 * they are needed: `worker_threads` takes a main thread 3 ms.
 */
import { show } from '../errors.js';
import type { Host, SpawnOptions, WorkerEvents, WorkerProgram, WorkerSide, WorkerThread } from './host.js';
import { nodeCodec } from './node-codec.js';
import { refusal } from './node-refusals.js';
import { bootstrap, evaluateScript, sharedScripts, WORKER_MARK, workersImport } from './node-script.js';
import { type TsxModules, tsxFor } from './node-tsx.js';
import { adopt } from './realm.js';

const fs = () => process.getBuiltinModule('node:fs');
const threads = () => process.getBuiltinModule('node:worker_threads');
/** Node's own: the fake timers of a test, which replace the global ones, do not stop a pool. */
const timers = () => process.getBuiltinModule('node:timers');
type Worker = InstanceType<ReturnType<typeof threads>['Worker']>;
type Port = InstanceType<ReturnType<typeof threads>['MessagePort']>;

/** A handle that closes, which calls nobody back. */
const ENDING = 'CloseReq';

/** What a worker is sent first. */
interface Beginning {
  readonly data: unknown;
  readonly port: Port;
  /** What the worker loads before it imports anything. */
  readonly tsx: TsxModules | undefined;
  /** What the process was told to run, as it was told. */
  readonly main: string | undefined;
}

/** What this thread loads before it imports anything. */
let tsx: TsxModules = [];
let prepared: Promise<void> | undefined;
/** Of a worker: what its process was told to run. */
let main: string | undefined;
/** Not that of the global `process`, which fake timers replace. */
let hrtime: typeof process.hrtime | undefined;

/** Tells a Worker by its methods, because bundlers and wrappers have Workers of their own. */
const isWorker = (value: unknown): value is Worker =>
  ['on', 'postMessage', 'ref', 'unref', 'terminate'].every(
    (name) => typeof Object(value)[name as keyof object] === 'function',
  );

const isMarked = (data: unknown): data is { readonly [WORKER_MARK]: Beginning } =>
  typeof data === 'object' && data !== null && WORKER_MARK in data;

/**
 * Asks a worker's event loop for its idle time, which is negative once the thread is gone, before any event tells.
 *
 * The public form answers only after this thread has heard that the worker is up, which it never does if it blocks from
 * the start. So the handle beneath is asked. Where that is not to be found, a worker that was not heard of counts as alive.
 */
function loopProbe(worker: Worker): () => boolean {
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

/** Cores that the container may use on average, rounded up; infinite without a quota. */
function cgroupQuota(): number {
  const [quota, period] = textOf('/sys/fs/cgroup/cpu.max')?.split(' ') ?? [
    textOf('/sys/fs/cgroup/cpu/cpu.cfs_quota_us') ?? 'max',
    textOf('/sys/fs/cgroup/cpu/cpu.cfs_period_us') ?? '1',
  ];
  const cores = Number(quota) / Number(period);
  return cores > 0 ? Math.ceil(cores) : Number.POSITIVE_INFINITY;
}

function textOf(path: string): string | undefined {
  try {
    return fs().readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Can anything print in a worker before the library does, which writes to the descriptors itself (`flushConsole`)? */
const mayPrintEarly = (execArgv: readonly string[] = process.execArgv): boolean =>
  execArgv.length > 0 || Boolean(process.env['NODE_OPTIONS'] || process.env['NODE_DEBUG']);

function drain(port: Port, receive: (message: unknown) => void): void {
  const { receiveMessageOnPort } = threads();
  for (let got = receiveMessageOnPort(port); got !== undefined; got = receiveMessageOnPort(port)) receive(got.message);
}

function newWorker({ program, name, createWorker, node, resourceLimits }: SpawnOptions): Worker {
  if (createWorker === undefined) {
    // To pipe its output, Node would open this thread's own streams first: 1 to 2 ms before the worker starts.
    const isUnpiped = !mayPrintEarly(node?.execArgv);
    return new (threads().Worker)(bootstrap(program as WorkerProgram), {
      eval: true,
      name,
      workerData: {},
      stdout: isUnpiped,
      stderr: isUnpiped,
      execArgv: node?.execArgv as string[] | undefined,
      resourceLimits,
    });
  }
  const worker = createWorker();
  if (isWorker(worker)) return worker;
  throw new TypeError(`furcate: createWorker() must return a Worker of node:worker_threads; it was ${show(worker)}.`);
}

function spawn(options: SpawnOptions, events: WorkerEvents): WorkerThread {
  const { program, createWorker, node, preload } = options;
  let worker: Worker;
  try {
    worker = newWorker(options);
  } catch (error) {
    throw refusal(error, createWorker !== undefined);
  }
  const { port1, port2 } = new (threads().MessageChannel)();
  const receive = (message: unknown): void => events.message(adopt(message, threads().receiveMessageOnPort));
  const isLoopAlive = loopProbe(worker);
  let exited = false;
  port1.on('message', receive);
  port1.unref();
  worker.on('error', (error) => events.error(adopt(error, threads().receiveMessageOnPort)));
  worker.on('exit', (code) => {
    exited = true;
    drain(port1, receive); // last words that arrived with the exit: why it could not start, for one
    port1.close();
    events.exit(code);
  });
  worker.unref();
  return {
    begin(data) {
      try {
        const own = createWorker === undefined;
        const scripts = own ? sharedScripts(program as WorkerProgram) : undefined;
        const tsx = own ? tsxFor(process, node?.execArgv, preload) : undefined;
        worker.postMessage({ [WORKER_MARK]: { data, port: port2, scripts, tsx, main: process.argv[1] } }, [port2]);
      } catch (error) {
        void worker.terminate(); // it would wait for ever
        throw error;
      }
    },
    post: (message) => port1.postMessage(message),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    terminate: () => void worker.terminate(),
    drainMessages: () => drain(port1, receive),
    isRunning: () => !exited && isLoopAlive(),
  };
}

function sideOf(port: Port): WorkerSide {
  let listener: (message: unknown) => void = () => {};
  return {
    post: (message) => port.postMessage(message),
    onMessage(next) {
      listener = next;
      port.on('message', (message) => listener(message));
      port.unref();
    },
    drainMessages: () => drain(port, (message) => listener(message)),
    onExit: (then) => process.on('exit', then),
    onUnhandledRejection: (isHarmless) =>
      process.on('unhandledRejection', (error) => {
        if (!isHarmless(error)) throw error;
      }),
    onUncaught: (then) => process.on('uncaughtExceptionMonitor', then),
    close: () => process.exit(0),
  };
}

const importHere = (url: string): Promise<unknown> =>
  workersImport()?.(url) ?? import(/* @vite-ignore */ /* webpackIgnore: true */ url);

async function registerTsx(): Promise<void> {
  try {
    for (const url of tsx) ((await importHere(url)) as { register(): unknown }).register();
  } catch (error) {
    warn(`furcate: the workers could not register tsx, under which this process runs: ${error}`);
  }
}

function prepareImports(): Promise<void> {
  prepared ??= registerTsx();
  return prepared;
}

function writeAll(fd: number, chunk: string | Uint8Array): void {
  let rest = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  while (rest.byteLength > 0) {
    try {
      rest = rest.subarray(fs().writeSync(fd, rest));
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') return; // a full pipe drains; a closed one never will
    }
  }
}

/**
 * What a module printed that Node required first is on its way to the main thread, and a stream keeps back what follows until that thread
 * answers, which it does not while it blocks. So the library answers in its place.
 */
function endPendingWrites(output: object): void {
  const prototype: object = Object.getPrototypeOf(output);
  const key = Object.getOwnPropertySymbols(prototype).find(
    ({ description }) => description === 'kStdioWantsMoreDataCallback',
  );
  if (key !== undefined) (output as Record<symbol, () => void>)[key]();
}

function warn(message: string): void {
  // A worker may be ended before its next tick, when emitWarning() would print.
  if (isMarked(threads().workerData)) writeAll(2, `FurcateWarning: ${message}\n`);
  else process.emitWarning(message, 'FurcateWarning');
}

const node: Host = {
  availableParallelism: () =>
    Math.max(1, Math.min(process.getBuiltinModule('node:os').availableParallelism(), cgroupQuota())),
  environment: (name) => process.env[name],
  mayBlock: () => true,
  spawn,
  onSpawned(start) {
    const { workerData, parentPort } = threads();
    const begin = (message: unknown): void => {
      if (!isMarked(message)) return;
      const { [WORKER_MARK]: beginning } = message;
      tsx = beginning.tsx ?? [];
      main = beginning.main;
      start(beginning.data, sideOf(beginning.port));
    };
    if (isMarked(workerData)) begin(workerData);
    else parentPort?.once('message', begin); // the user's own worker file
  },
  serialize: (value, views) => nodeCodec().serialize(value, views),
  deserialize: (bytes, views) => nodeCodec().deserialize(bytes, views),
  evaluate: (text, path) => evaluateScript(text, path).value,
  async importModule(url) {
    await prepareImports();
    return importHere(url);
  },
  prepareImports,
  mainUrl() {
    try {
      const { createRequire } = process.getBuiltinModule('node:module');
      return process.getBuiltinModule('node:url').pathToFileURL(createRequire(main as string).resolve(main as string))
        .href;
    } catch {
      return undefined; // there is none, or it is gone
    }
  },
  /** Not `performance`, which a fresh worker takes half a millisecond to load. */
  nowMs() {
    hrtime ??= process.getBuiltinModule('node:process').hrtime;
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  turn: () => new Promise((resume) => timers().setImmediate(resume)),
  flushConsole() {
    // A worker's output goes through the main thread's loop, and is lost when the worker never returns to its own.
    for (const [k, output] of [process.stdout, process.stderr].entries()) {
      output._writev = undefined;
      output._write = (chunk, _encoding, done) => {
        writeAll(k + 1, chunk);
        done();
      };
      endPendingWrites(output);
    }
  },
  backgroundTimer(ms, callback) {
    const timer = timers().setTimeout(callback, ms).unref();
    return () => timers().clearTimeout(timer);
  },
  hasPending: () => process.getActiveResourcesInfo?.().some((kind) => kind !== ENDING) ?? false,
  keepAlive() {
    const timer = timers().setInterval(() => {}, 2 ** 30);
    return () => timers().clearInterval(timer);
  },
  warn,
  allowListeners: (signal) => process.getBuiltinModule('node:events').setMaxListeners(0, signal as EventTarget),
};

/** Node, and runtimes that have Node's modules. */
export function detectNode(): Host | undefined {
  const { process } = globalThis as { process?: NodeJS.Process };
  return process?.versions?.node === undefined || typeof process.getBuiltinModule !== 'function' ? undefined : node;
}

export { detectNode as detect };
