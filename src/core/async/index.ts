/** The part `coroutines`: gives the scheduler what it needs for asynchronous tasks. */
import { leaveStack } from '../deque/private-stack.js';
import { load, waitAsync } from '../memory/atomics.js';
import { NO_RECORD, R_CANCEL, R_DEPENDENCIES, R_INVOCATION } from '../memory/records.js';
import { host } from '../platform/host.js';
import { coroutines } from '../worker/coroutines.js';
import { cancellationError } from '../worker/requests.js';
import { lastLook, restState } from '../worker/search.js';
import { eventOf, park } from '../worker/sleep.js';
import { SEQUENTIAL, type WorkerSlot } from '../worker/worker-slot.js';
import { Thread } from './thread.js';

/** How often a worker looks at its event word where the runtime cannot wait for it without blocking (milliseconds). */
const POLL_MS = 1;

let current: Thread | undefined;

/** This worker's. */
function threadOf(own: WorkerSlot): Thread {
  if (current?.own !== own) current = new Thread(own);
  return current;
}

/** Resolves when the event word is not `event` any more, or when a coroutine of this thread forks. */
async function untilWoken(own: WorkerSlot, event: number): Promise<void> {
  const here = threadOf(own);
  const release = host().keepAlive();
  await new Promise<void>((wake) => {
    here.parked(() => wake());
    void woken(own, event).then(() => wake());
  });
  here.parked(undefined);
  release();
}

/** The last wait, and the value of the event word that it waits on. While that has not changed, the wait serves the next sleep, too. */
let pending: { readonly event: number; readonly promise: Promise<unknown> } | undefined;

/** Resolves when the event word is not `event` any more. */
function woken(own: WorkerSlot, event: number): Promise<unknown> {
  if (pending?.event === event) return pending.promise;
  const outcome = waitAsync?.(own.words, own.eventWord, event);
  if (outcome === undefined) return new Promise((resolve) => setTimeout(resolve, POLL_MS));
  if (!outcome.async) return Promise.resolve(); // it has changed already
  pending = { event, promise: outcome.value };
  return outcome.value;
}

Object.assign(coroutines, {
  begin(own, record, task) {
    const here = threadOf(own);
    here.announce(own);
    leaveStack();
    const coroutine = here.begin(task, own.words[record + R_INVOCATION], own.words[record + R_DEPENDENCIES], record);
    const reason = load(own.words, record + R_CANCEL); // its forker may have cancelled it before it was one of the living
    if (reason !== 0) coroutine.cancel(cancellationError(reason));
  },
  runSequentially(task) {
    return new Promise((resolve, reject) => {
      const here = new Thread(null, (failed, value) => (failed ? reject(value) : resolve(value)));
      here.begin(task, SEQUENTIAL, 0, NO_RECORD);
    });
  },
  serve: (own) => threadOf(own).serve(),
  park(own) {
    const event = eventOf(own);
    const state = restState(own);
    const look = (): boolean => threadOf(own).hasWork || lastLook(own, state);
    return park(own, state, event, look, () => untilWoken(own, event));
  },
  feed: (own, all) => threadOf(own).feed(own, all),
  seeCancellation() {
    current?.requestCleared();
  },
} satisfies Partial<typeof coroutines>);
