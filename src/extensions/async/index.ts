/** The part `coroutines`: gives the scheduler what it needs for asynchronous tasks. */
import { leaveStack } from '../../core/deque/private-stack.js';
import { CANCELLED_BY_RACE, isRaceOver, reasonOf } from '../../core/memory/record-kinds.js';
import { NO_RECORD, R_DEPENDENCIES, R_INVOCATION } from '../../core/memory/records.js';
import type { Strand } from '../../core/observe/observer.js';
import { host } from '../../core/platform/host.js';
import { AGED_MS } from '../../core/tuning.js';
import { install } from '../../core/worker/extension.js';
import { isRootFirst } from '../../core/worker/help.js';
import { cancellationError } from '../../core/worker/requests.js';
import { isOfAsync, raceOf } from '../../core/worker/steal.js';
import { thread, type WorkerSlot } from '../../core/worker/worker-slot.js';
import { beginning } from './coroutine.js';
import { CoroutineScheduler, hasLiving } from './coroutine-scheduler.js';

let current: CoroutineScheduler | undefined;

/** This worker's. */
function threadOf(own: WorkerSlot): CoroutineScheduler {
  if (current?.own !== own) current = new CoroutineScheduler(own, thread.pool);
  return current;
}

/** Time at which this worker last went on with asynchronous tasks (milliseconds). */
let servedMs = 0;

/**
 * Checks whether there is a root for which asynchronous tasks have to wait. They do not wait for ever, however many such
 * roots come.
 */
const isRootDue = (own: WorkerSlot): boolean => host().nowMs() - servedMs < AGED_MS && isRootFirst(own);

install({
  begin(own, record, task) {
    const here = threadOf(own);
    here.announce(own);
    leaveStack();
    const race = raceOf(own.memory, record);
    const [invocation, dependencies] = [own.words[record + R_INVOCATION], own.words[record + R_DEPENDENCIES]];
    const coroutine = here.begin(task, invocation, dependencies, record, race);
    // It may have been cancelled, or its race may have ended, before it was one of the living.
    const reason = reasonOf(own.words, record);
    if (reason > 0) coroutine.cancel(cancellationError(reason));
    else if (isRaceOver(own.words, race)) coroutine.cancel(cancellationError(CANCELLED_BY_RACE));
  },
  alone(task, pool, invocation, watch, look, isBeside) {
    return new Promise((resolve, reject) => {
      let stop: (() => void) | undefined;
      let hasEnded = false;
      const rootEnded = (failed: boolean, value: unknown, strand: Strand | undefined): void => {
        hasEnded = true;
        if (strand !== undefined) Object.assign(strand.mark, { account: strand.account() }).arrive(isBeside);
        stop?.();
        if (failed) reject(value);
        else resolve(value);
      };
      const here = new CoroutineScheduler(null, pool, { rootEnded, look });
      const coroutine = here.begin(task, invocation, 0, NO_RECORD, 0);
      if (hasEnded) return;
      try {
        stop = watch(coroutine);
      } catch (error) {
        coroutine.cancel(error); // a signal of the user's threw
      }
    });
  },
  leaves: (own, record) => hasLiving() && isOfAsync(own.words, record) && threadOf(own).spread?.leaves() === true,
  awaits: hasLiving,
  serve(own, isHelper) {
    if (!hasLiving() || (isHelper && isRootDue(own))) return false;
    const did = threadOf(own).serve();
    servedMs = host().nowMs();
    return did;
  },
  hasWork: (own) => hasLiving() && threadOf(own).hasWork,
  parked(own, wake) {
    if (!hasLiving()) return undefined;
    const here = threadOf(own);
    here.parked(wake);
    return () => here.parked(undefined);
  },
  feed: (own, all) => threadOf(own).feed(own, all),
  cancelled() {
    current?.requestCleared();
  },
  checkpoint() {
    if (beginning === undefined)
      throw new Error(
        'furcate: checkpoint() in an asynchronous task, after an await. Use its scope: scope.signal.throwIfAborted().',
      );
    beginning.throwIfCancelled();
  },
});
