/**
 * Node as a host: worker_threads, v8's serializer, synchronous output; and runtimes that have Node's modules. It imports nothing from Node,
 * and loads Node's modules when they are needed: `worker_threads` takes a main thread 3 ms.
 */
import type { PlatformHost, PortableCodec } from './host.js';
import { nodeCodec } from './node-codec.js';
import { collectGarbage } from './node-collect.js';
import { availableCores } from './node-cores.js';
import { openFile, pathOf, readFileAt } from './node-file.js';
import { flushConsole, warnNow } from './node-output.js';
import { hasPending } from './node-pending.js';
import { variable } from './node-permissions.js';
import { nodeRecording } from './node-recording.js';
import { evaluateScript, workersImport } from './node-script.js';
import { isOwnThread, spawn, whenSpawned } from './node-threads.js';
import { backgroundTimer, cpuMsOf, keepAlive, nowMs, nowMsOfAll, osThread, othersCpuMs, turn } from './node-time.js';
import type { TsxModules } from './node-tsx.js';

/** Modules that this thread loads before it imports anything. */
let tsx: TsxModules = [];
let prepared: Promise<void> | undefined;
/** Of a worker: what its process was told to run. */
let main: string | undefined;

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

function warn(message: string): void {
  if (isOwnThread()) warnNow(message);
  else process.emitWarning(message, 'FurcateWarning');
}

const node: PlatformHost = {
  availableParallelism: availableCores,
  environment: (name) => variable(name),
  mayBlock: () => true,
  spawn,
  onSpawned: (start) =>
    whenSpawned((beginning, side) => {
      tsx = beginning.tsx ?? [];
      main = beginning.main;
      start(beginning.data, side);
    }),
  serialize: (value, views) => nodeCodec().serialize(value, views),
  deserialize: (bytes, views) => nodeCodec().deserialize(bytes, views),
  evaluate: (text, path) => evaluateScript(text, path).value,
  async importModule(url) {
    await prepareImports();
    return importHere(url);
  },
  async requireModule(url) {
    await prepareImports();
    const path = process.getBuiltinModule('node:url').fileURLToPath(url);
    try {
      return process.getBuiltinModule('node:module').createRequire(path)(path);
    } catch (error) {
      // An ES module may have made a path of its own URL; and the hooks of some loaders are those of `import` (jiti).
      const { code, name } = Object(error) as { code?: unknown; name?: unknown };
      if (name !== 'SyntaxError' && !/^ERR_REQUIRE_(ESM|ASYNC_MODULE)$/.test(String(code))) throw error;
      return importHere(url);
    }
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
  nowMs,
  othersCpuMs,
  osThread,
  cpuMsOf,
  turn,
  flushConsole,
  backgroundTimer,
  hasPending: () => hasPending(),
  keepAlive,
  // `AsyncResource.bind` defines properties on each function, which takes microseconds.
  bindContext: (fn) => {
    const resource = new (process.getBuiltinModule('node:async_hooks').AsyncResource)('FURCATE');
    const bound = (...args: never[]): unknown =>
      resource.runInAsyncScope(fn as unknown as (...args: unknown[]) => unknown, undefined, ...args);
    return bound as typeof fn;
  },
  contextVariable() {
    const storage = new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<unknown>();
    return { get: () => storage.getStore(), run: (value, body) => storage.run(value, body) };
  },
  collectGarbage,
  openFile,
  pathOf,
  readFileAt,
  channel: (name) => process.getBuiltinModule('node:diagnostics_channel').channel(name),
  recording: nodeRecording,
  warn,
  allowListeners: (signal) => process.getBuiltinModule('node:events').setMaxListeners(0, signal as EventTarget),
};

/** Node, and runtimes that have Node's modules. */
export function detectNode(): PlatformHost | undefined {
  const { process } = globalThis as { process?: NodeJS.Process };
  if (process?.versions?.node === undefined || typeof process.getBuiltinModule !== 'function') return undefined;
  const isOther = 'bun' in process.versions || 'deno' in process.versions;
  return isOther ? { ...node, nowMs: nowMsOfAll, osThread: () => 0 } : node; // Deno would ask for a permission
}

/** As `detectNode`. Bun has the class of v8's serializer, and a use of it throws. */
export function detect(portableCodec: PortableCodec): PlatformHost | undefined {
  const found = detectNode();
  if (found === undefined || !('bun' in process.versions)) return found;
  return { ...found, ...portableCodec(process.getBuiltinModule('node:util').types.isProxy) };
}
