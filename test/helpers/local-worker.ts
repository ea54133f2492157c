/** A worker of a group on the calling thread, for unit tests: what it does is real, and happens when the test says so. */
import { local } from '../../src/core/deque/private-stack.js';
import { add } from '../../src/core/memory/atomics.js';
import type { WorkerGroup } from '../../src/core/pool/worker-group.js';
import { hooks } from '../../src/core/worker/extension.js';
import { workLoop } from '../../src/core/worker/search.js';
import { NO_INVOCATION, setInvocation, thread, WorkerSlot } from '../../src/core/worker/worker-slot.js';

/** Thrown out of the work loop. */
const IDLE = new Error('the worker has nothing to do');

async function lacksNothing(code: number): Promise<void> {
  throw new Error(`the code ${code} is not on this thread`);
}

/** Where a worker serves. */
type Workplace = Pick<WorkerGroup, 'memory'> & { readonly settings: { readonly checked: boolean } };

/** Serves in a slot until there is nothing left to do. It goes to sleep once, and is woken at once. */
export async function serveHere({ memory, settings }: Workplace, slot = 1, loadCode = lacksNothing): Promise<void> {
  const own = new WorkerSlot(memory, slot, settings.checked);
  const { requests } = local;
  const before = { own: thread.own, pool: thread.pool };
  const { idle } = hooks;
  let hasSlept = false;
  own.sink = {
    noted(event) {
      if (event !== 'sleeps') return;
      hasSlept = true;
      add(memory.words, own.eventWord, 1);
    },
    beside() {},
  };
  thread.own = own;
  thread.pool = { name: 'here', parallelism: memory.layout.parallelism };
  setInvocation(own, NO_INVOCATION);
  local.requests = own.requests;
  hooks.idle = () => {
    if (hasSlept) throw IDLE;
  };
  try {
    await workLoop(own, loadCode);
  } catch (error) {
    if (error !== IDLE) throw error;
  } finally {
    local.requests = requests;
    Object.assign(thread, before);
    hooks.idle = idle;
  }
}
