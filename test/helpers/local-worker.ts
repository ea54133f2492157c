/** A worker of a group on the calling thread, for unit tests: what it does is real, and happens when the test says so. */
import { local } from '../../src/core/deque/private-stack.js';
import { store } from '../../src/core/memory/atomics.js';
import { C_PHASE, PHASE_RUN, PHASE_STOP } from '../../src/core/memory/layout.js';
import type { WorkerGroup } from '../../src/core/pool/worker-group.js';
import { workLoop } from '../../src/core/worker/search.js';
import { NO_INVOCATION, setInvocation, thread, WorkerSlot } from '../../src/core/worker/worker-slot.js';

async function lacksNothing(code: number): Promise<void> {
  throw new Error(`the code ${code} is not on this thread`);
}

/** Serves in a slot until there is nothing left to do. */
export async function serveHere(
  { memory, settings }: WorkerGroup,
  slot = 1,
  loadCode: (code: number) => Promise<void> = lacksNothing,
): Promise<void> {
  const own = new WorkerSlot(memory, slot, settings.checked);
  const outer = { requests: local.requests, own: thread.own, pool: thread.pool, whenIdle: thread.whenIdle };
  thread.own = own;
  thread.pool = settings;
  setInvocation(own, NO_INVOCATION);
  local.requests = own.requests;
  thread.whenIdle = () => store(memory.words, C_PHASE, PHASE_STOP); // it would go to sleep, and block the test
  try {
    await workLoop(own, loadCode);
  } finally {
    if (!memory.hasCrashed) store(memory.words, C_PHASE, PHASE_RUN);
    local.requests = outer.requests;
    Object.assign(thread, { own: outer.own, pool: outer.pool, whenIdle: outer.whenIdle });
  }
}
