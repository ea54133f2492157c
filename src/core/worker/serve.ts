/** A worker from birth to death: it takes its slot in the worker group, serves, and leaves; runs on worker threads. */

import { packError } from '../code/data-copy.js';
import { CodeLoader } from '../code/loader.js';
import { isMainModuleSentinel } from '../code/main-module.js';
import { registry } from '../code/registry.js';
import { CodeResolver, resolver, useResolver } from '../code/resolver.js';
import { codeTable } from '../code/table.js';
import { HANDLE_MASK, local } from '../deque/private-stack.js';
import { store } from '../memory/atomics.js';
import { ControlMemory } from '../memory/control.js';
import { acceptExternal, type KnownExternal, startExternal } from '../memory/external-buffers.js';
import { adoptHeap, type HeapHandle } from '../memory/heap.js';
import { C_LACKS_CODE, CALLER_SLOT, type Layout, slotWord, W_EXITED, W_ONLINE } from '../memory/layout.js';
import { acceptMoved } from '../memory/moved-objects.js';
import { host, type WorkerSide } from '../platform/host.js';
import { probeStep } from '../probe.js';
import { version } from '../version.js';
import { leavesInOrder } from './in-sight.js';
import { endLocals } from './local-ends.js';
import { workLoop } from './search.js';
import { wakeSlot } from './sleep.js';
import { NO_INVOCATION, setInvocation, thread, WorkerSlot } from './worker-slot.js';

/** The message of the owner of a worker group to a new worker. */
export interface WorkerData {
  readonly version: string;
  readonly control: SharedArrayBuffer;
  readonly layout: Layout;
  readonly tag: number;
  readonly slot: number;
  readonly checked: boolean;
  readonly heap: HeapHandle;
  readonly poolName: string;
  readonly preload: readonly string[];
  readonly external: KnownExternal;
  /** Set if code is found by its name alone, because the worker is a bundle of the user's. */
  readonly byName: boolean;
  readonly keepAliveMs: number;
  readonly graceMs: number;
  /** Set if the owner looks for stalls. */
  readonly isWatched: boolean;
}

/** Messages to the owner. */
export type FromWorker =
  | { readonly type: 'ready' }
  /** It is in a blocking section, for which there should be so many spares. */
  | { readonly type: 'blocked'; readonly spares: number }
  /** It has been importing a module for some time, or that is over. */
  | { readonly type: 'slow import'; readonly url: string; readonly isOver: boolean }
  /** It ends because of an error that nothing caught. */
  | { readonly type: 'threw'; readonly error: unknown };

/** Messages from the owner. */
export type ToWorker =
  | { readonly type: 'external'; readonly id: number; readonly buffer: object | undefined }
  /** An object for a task of this worker; undefined once the task has ended. */
  | { readonly type: 'moved'; readonly number: number; readonly object: object | undefined };

/** A worker that cannot start throws, and ends. */
export async function serve(data: WorkerData, side: WorkerSide): Promise<void> {
  if (data.version !== version) {
    throw new Error(
      `furcate: a worker could not start: it runs furcate ${version}, the pool ${data.version}; make both the same.`,
    );
  }
  adoptHeap(data.heap);
  const memory = new ControlMemory(data.control, data.layout, data.tag);
  const own = new WorkerSlot(memory, data.slot, data.checked);
  side.onUnhandledRejection?.(isMainModuleSentinel);
  side.onExit?.((code) => leave(memory, data.slot, code));
  startExternal(data.external, () => side.drainMessages?.());
  side.onMessage((message) => {
    const said = message as ToWorker;
    if (said.type === 'moved') acceptMoved(said.number, said.object);
    else acceptExternal(said.id, said.buffer);
  });
  host().flushConsole?.();
  if (data.byName) useResolver(new CodeResolver(codeTable(), registry, { byName: true }));
  const loader = new CodeLoader(resolver(), {
    onSlow: (url, isOver) => side.post({ type: 'slow import', url, isOver } satisfies FromWorker),
    onFailure: () => store(memory.words, C_LACKS_CODE, 1),
  });
  side.onUncaught?.((error) =>
    side.post({ type: 'threw', error: packError(loader.explainEnd(error)) } satisfies FromWorker),
  );
  try {
    for (const url of data.preload) await host().importModule(url);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`furcate: a worker could not start: ${reason}`, { cause });
  }
  await host().turn(); // before it is online: to a blocked owner, a thread whose event loop has never run looks dead
  own.keepAliveMs = data.keepAliveMs;
  own.onBlocked = (spares) => side.post({ type: 'blocked', spares } satisfies FromWorker);
  thread.own = own;
  thread.pool = { name: data.poolName, parallelism: data.layout.parallelism };
  setInvocation(own, NO_INVOCATION);
  local.requests = own.requests;
  local.forks = Math.imul(data.slot, 0x9e3779b1) & HANDLE_MASK; // so that a handle from another thread finds nothing here
  probeStep('start: before it is online');
  store(own.words, slotWord(data.layout, data.slot) + W_ONLINE, (data.isWatched && host().osThread?.()) || 1);
  probeStep('start: online');
  side.post({ type: 'ready' } satisfies FromWorker);
  await workLoop(own, async (code, invocation) => {
    await host().prepareImports?.(); // not within the time that an import may take
    await loader.load(code, invocation);
  });
  if (leavesInOrder(own)) await endLocals(data.graceMs);
  side.close();
}

/** Leaves the exit code of a thread that exits by itself, so that even a blocked owner notices. */
function leave(memory: ControlMemory, slot: number, code: number): void {
  store(memory.words, slotWord(memory.layout, slot) + W_EXITED, (code << 1) | 1);
  wakeSlot(memory, CALLER_SLOT);
}

/** Serves if a pool has started this thread. */
export function serveWhenSpawned(): void {
  host().onSpawned((data, side) => {
    void serve(data as WorkerData, side);
  });
}
