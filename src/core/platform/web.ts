/**
 * A browser as a host, on a page and in a worker: web workers, message channels, `console`. Runtimes that have neither Node's modules nor
 * threads take it, too: everything runs on the caller there.
 *
 * It imports no module of a runtime, and nothing runs before it is needed. README.md says what a browser cannot do.
 */
import { waitAsync as engineWaits } from '../memory/atomics.js';
import type { PlatformHost, PortableCodec } from './host.js';
import { evaluate } from './web-evaluate.js';
import { spawn } from './web-threads.js';
import { waitAsync } from './web-wait.js';
import { importHere, onSpawned } from './web-worker-side.js';

/** The browser's own, from the start: the fake timers of a test, which replace the global ones, do not stop a pool. */
const { setTimeout: later, clearTimeout: forget } = globalThis;

/** Callbacks for the next turn of the event loop. */
let resumed: (() => void)[] = [];
let turns: MessagePort | undefined;

/** By a message that this thread sends to itself: 19 to 47 us, where a timer takes at least 4 ms once timers are nested. */
function turn(): Promise<void> {
  if (turns === undefined) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      const now = resumed;
      resumed = [];
      for (const resume of now) resume();
    };
    turns = port2;
  }
  const next = new Promise<void>((resume) => resumed.push(resume));
  if (resumed.length === 1) turns.postMessage(0);
  return next;
}

/** An ordinary page has no shared memory, whatever the browser can do. */
function lacksThreads(): string | undefined {
  if ('ServiceWorkerGlobalScope' in globalThis)
    return 'a service worker has no threads of its own. To use all cores, call from a page, or from a worker of one';
  if (typeof SharedArrayBuffer !== 'function' || globalThis.crossOriginIsolated === false) {
    const insecure = globalThis.isSecureContext === false ? ', from https: or localhost' : '';
    return (
      'this page is not cross-origin isolated, so that its threads cannot share memory. ' +
      'To use all cores, serve it with the headers Cross-Origin-Opener-Policy: same-origin and ' +
      `Cross-Origin-Embedder-Policy: require-corp${insecure}`
    );
  }
  return typeof Worker === 'function' ? undefined : 'this runtime has no workers';
}

const web = {
  lacksThreads,
  availableParallelism: () => globalThis.navigator?.hardwareConcurrency ?? 1,
  /** A page must stay responsive, and a service worker, too: `Atomics.wait` throws there. */
  mayBlock: () => !('document' in globalThis) && !('ServiceWorkerGlobalScope' in globalThis),
  spawn,
  onSpawned,
  evaluate,
  importModule: importHere,
  nowMs: () => performance.timeOrigin + performance.now(),
  turn,
  waitAsync,
  backgroundTimer(ms, callback) {
    const timer = later(callback, ms);
    return () => forget(timer);
  },
  hasPending: () => engineWaits !== undefined, // browsers do not tell, as Bun (node-pending.ts): then an idle worker always sleeps within its event loop
  warn: (message) => console.warn(message),
} satisfies Partial<PlatformHost>;

/** Any runtime that has the web's messages and clock. */
export function detect(portableCodec: PortableCodec): PlatformHost | undefined {
  const isKnown =
    !('EdgeRuntime' in globalThis) && typeof MessageChannel === 'function' && typeof performance === 'object';
  return isKnown ? { ...web, ...portableCodec() } : undefined;
}
