/** Threads as Node has them, `worker_threads`, from outside and from inside. */
import { show } from '../errors.js';
import type { SpawnOptions, WorkerEvents, WorkerProgram, WorkerSide, WorkerThread } from './host.js';
import { watchEnding } from './node-endings.js';
import { mayPrintEarly } from './node-output.js';
import { refusal } from './node-refusals.js';
import { bootstrap, sharedScripts, WORKER_MARK } from './node-script.js';
import { stackOf } from './node-stack.js';
import { type TsxModules, tsxFor } from './node-tsx.js';
import { adopt } from './realm.js';

const threads = () => process.getBuiltinModule('node:worker_threads');
type Worker = InstanceType<ReturnType<typeof threads>['Worker']>;
type NodePort = InstanceType<ReturnType<typeof threads>['MessagePort']>;

/** First message to a worker. */
export interface NodeBeginning {
  readonly data: unknown;
  readonly port: NodePort;
  /** Modules that the worker loads before it imports anything. */
  readonly tsx: TsxModules | undefined;
  /** Program that the process was told to run, as it was told. */
  readonly main: string | undefined;
}

/** Tells a Worker by its methods, because bundlers and wrappers have Workers of their own. */
const isWorker = (value: unknown): value is Worker =>
  ['on', 'postMessage', 'ref', 'unref', 'terminate'].every(
    (name) => typeof Object(value)[name as keyof object] === 'function',
  );

const isMarked = (data: unknown): data is { readonly [WORKER_MARK]: NodeBeginning } =>
  typeof data === 'object' && data !== null && WORKER_MARK in data;

/** Checks whether the library has started this thread. */
export const isOwnThread = (): boolean => isMarked(threads().workerData);

function drain(port: NodePort, receive: (message: unknown) => void): void {
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

export function spawn(options: SpawnOptions, events: WorkerEvents): WorkerThread {
  const { program, createWorker, node, preload } = options;
  let worker: Worker;
  try {
    worker = newWorker(options);
  } catch (error) {
    throw refusal(error, createWorker !== undefined);
  }
  const { port1, port2 } = new (threads().MessageChannel)();
  const receive = (message: unknown): void => events.message(adopt(message, threads().receiveMessageOnPort));
  port1.on('message', receive);
  port1.unref();
  worker.on('error', (error) => events.error(adopt(error, threads().receiveMessageOnPort)));
  const lastWords = (): void => {
    drain(port1, receive); // they arrived with the exit: why it could not start, for one
    port1.close();
  };
  const ending = watchEnding(worker, {
    ...events,
    exit(code) {
      lastWords();
      events.exit(code);
    },
    runsOn() {
      lastWords();
      events.runsOn();
    },
  });
  worker.unref();
  return {
    ...ending,
    begin(data) {
      try {
        const own = createWorker === undefined;
        const scripts = own ? sharedScripts(program as WorkerProgram) : undefined;
        const tsx = own ? tsxFor(process, node?.execArgv, preload) : undefined;
        worker.postMessage({ [WORKER_MARK]: { data, port: port2, scripts, tsx, main: process.argv[1] } }, [port2]);
      } catch (error) {
        ending.terminate(); // it would wait for ever
        throw error;
      }
    },
    post: (message, transfer) => port1.postMessage(message, transfer as never),
    stack: () => stackOf(worker.threadId),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    drainMessages: () => drain(port1, receive),
  };
}

function sideOf(port: NodePort): WorkerSide {
  let listener: (message: unknown) => void = () => {};
  return {
    post: (message) => port.postMessage(message),
    // Taken when they are needed, and never by the event loop: in Deno it may hold one while a later one is taken.
    onMessage(next) {
      listener = next;
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

/** Inside a worker: calls `start` with its beginning, now or when it arrives. */
export function whenSpawned(start: (beginning: NodeBeginning, side: WorkerSide) => void): void {
  const { workerData, parentPort } = threads();
  const begin = (message: unknown): void => {
    if (!isMarked(message)) return;
    const { [WORKER_MARK]: beginning } = message;
    start(beginning, sideOf(beginning.port));
  };
  if (isMarked(workerData)) begin(workerData);
  else parentPort?.once('message', begin); // the user's own worker file
}
