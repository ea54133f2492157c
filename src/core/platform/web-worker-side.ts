/** A worker of a browser, from inside. */
import { wait } from '../memory/atomics.js';
import type { WorkerSide } from './host.js';
import { ASKS_AGAIN, type Beginning, isMarked, type Said, WORKER_MARK } from './web-messages.js';

/** Scope of a dedicated worker. */
interface DedicatedScope extends EventTarget {
  close(): void;
  postMessage(message: unknown): void;
  readonly navigator?: Navigator;
}

const scope = globalThis as unknown as DedicatedScope;

/** See `IMPORT` in web-messages.ts. */
const firstImport = (): ((url: string) => Promise<unknown>) | undefined =>
  (globalThis as { [key: symbol]: ((url: string) => Promise<unknown>) | undefined })[Symbol.for('furcate.import')];

/** The module that a Content Security Policy has forbidden this thread last. Of a module that has failed before, browsers tell nothing. */
let violation: SecurityPolicyViolationEvent | undefined;
let isWatching = false;

/** @throws what the import throws; where a policy forbids it, with the rule to write, which the browser does not tell */
export async function importHere(url: string): Promise<unknown> {
  if (!isWatching) {
    scope.addEventListener('securitypolicyviolation', (event) => {
      const latest = event as SecurityPolicyViolationEvent;
      if (/^\w+:/.test(latest.blockedURI)) violation = latest; // not 'eval' and the like
    });
  }
  isWatching = true;
  try {
    return await (firstImport()?.(url) ?? import(/* @vite-ignore */ /* webpackIgnore: true */ url));
  } catch (cause) {
    await new Promise((tell) => setTimeout(tell)); // the event may come later
    if (violation === undefined) throw cause;
    const { blockedURI, effectiveDirective: rule } = violation;
    const asked = rule === 'worker-src' ? '; Firefox asks that rule for modules of workers, too' : '';
    throw new Error(
      `furcate: the Content Security Policy forbids ${blockedURI}. Allow it: add 'self', or its origin, to ${rule}${asked}`,
      { cause },
    );
  }
}

/** Holds the lock that is granted to the owner once this thread is gone; resolves when it is held, or where there are no locks. */
function hold(lock: string): Promise<void> {
  return new Promise((held) => {
    const { locks } = scope.navigator ?? {};
    if (locks === undefined) return held();
    locks
      .request(lock, () => {
        held();
        return new Promise(() => {}); // for ever
      })
      .catch(() => held()); // an opaque origin has none
  });
}

/** An error as it can be sent. */
function sendable(error: unknown): unknown {
  try {
    return structuredClone(error);
  } catch {
    return new Error(`furcate: a worker threw what cannot be sent: ${error}`);
  }
}

function sideOf(port: MessagePort): WorkerSide {
  const say = (said: Said): void => port.postMessage(said);
  const exits: ((code: number) => void)[] = [];
  const listeners: ((error: unknown) => void)[] = [];
  const harmless: ((error: unknown) => boolean)[] = [];
  const close = scope.close.bind(scope);

  function end(code: number, isStuck = false): void {
    for (const told of exits) told(code);
    say({ exit: code, isStuck });
    close();
  }
  /** As in Node, an error that nothing catches ends the thread; a browser's would go on. */
  function die(error: unknown): void {
    for (const told of listeners) told(error);
    say({ uncaught: sendable(error) });
    end(1);
  }

  // In a task of the user's. As in Node, nothing comes after it: the browser would go on to the end of the task, and to further tasks.
  scope.close = () => {
    end(0, true);
    wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  scope.addEventListener('error', (event) => {
    event.preventDefault(); // the owner tells of it
    die((event as ErrorEvent).error ?? (event as ErrorEvent).message);
  });
  scope.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    const { reason } = event as PromiseRejectionEvent;
    if (!harmless.some((passes) => passes(reason))) die(reason);
  });

  return {
    post: (message) => say({ message }),
    onMessage(listener) {
      port.onmessage = ({ data }) => listener(data);
    },
    onExit: (told) => void exits.push(told),
    onUnhandledRejection: (passes) => void harmless.push(passes),
    onUncaught: (told) => void listeners.push(told),
    close: () => end(0),
  };
}

/** Time after which a worker that has not been told to begin asks (milliseconds). */
const PATIENCE_MS = 50;

/** The owner sends one message with the mark; a user's worker file may have messages of its own. */
export function onSpawned(start: (data: unknown, side: WorkerSide) => void): void {
  if (typeof scope.close !== 'function' || 'document' in globalThis) return;
  const begin = (event: Event): void => {
    const { data: message } = event as MessageEvent;
    if (!isMarked(message)) return;
    scope.removeEventListener('message', begin);
    clearTimeout(impatient);
    event.stopImmediatePropagation();
    const { data, port, lock }: Beginning = message[WORKER_MARK];
    const side = sideOf(port);
    void hold(lock).then(() => {
      port.postMessage({ held: true } satisfies Said);
      start(data, side);
    });
  };
  scope.addEventListener('message', begin);
  const impatient = setTimeout(() => scope.postMessage(ASKS_AGAIN), PATIENCE_MS);
}
