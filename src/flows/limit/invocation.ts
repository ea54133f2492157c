/** Invocations that wait for permits: what `pool.invoke(task, { limit })` does; on the thread that calls. */
import { CallHold, CallSignal, type LimitedInvoke } from '../../core/engine.js';
import type { Admission } from './admission.js';

/** Runs an invocation when it has its permits. While it waits, it counts as in flight: a pool that is being closed runs it, too. */
export async function invokeWith(
  admission: Admission,
  ...[executor, task, { limit: _, ...options }]: Parameters<LimitedInvoke['invoke']>
): Promise<unknown> {
  const { onReport, ...call } = options;
  const hold = new CallHold({
    ...call,
    pool: executor,
    parallelism: executor.parallelism,
    onlyInTasks: true,
    startedMs: performance.now(),
  });
  const signal = new CallSignal();
  hold.tell({ cancel: (error) => signal.abort(error), abandon() {} });
  try {
    return await admission.run(() => hold.submit(task, { signal, onReport }), signal);
  } finally {
    hold.end();
  }
}
