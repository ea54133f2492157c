/** Invocations that wait for permits: what `pool.invoke(task, { limit })` does; on the thread that calls. */
import { Call, type LimitedInvoke } from '../../core/engine.js';
import type { Admission } from './admission.js';

/** Runs an invocation when it has its permits. While it waits, it counts as in flight: a pool that is being closed runs it, too. */
export async function invokeWith(
  admission: Admission,
  ...[executor, task, { limit: _, ...options }]: Parameters<LimitedInvoke['invoke']>
): Promise<unknown> {
  const { onReport, ...rest } = options;
  const call = new Call({ ...rest, pool: executor, startedMs: performance.now() });
  const { signal } = call;
  return call.during(() => admission.run(() => call.submit(task, { signal, onReport }), signal));
}
