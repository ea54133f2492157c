/**
 * Activations: which frames of the private stack are this thread's own now, and for whom it computes; runs on every thread that computes.
 *
 * An activation begins on an empty stack above the one below it (`enter`), and ends where it began (`leave`): the caller of an
 * `invokeSync`, a SequentialExecutor, a root that a worker has given way to. A task of another thread runs within the activation that takes
 * it (`attach`, `detach`): joins in it may run older tasks of the same stack, and publish them. So what a thread does has two parts: the
 * activation, and in it the attachment, which is what the thread works for. Each is saved as one object, and put back by one function.
 */

import { LOOKS_ITSELF, leaveStack, local, NOBODY_ASKS, noHandle } from '../deque/private-stack.js';
import { unionOfDependencies } from '../job/code-dependencies.js';
import {
  type Activation,
  type Attachment,
  NO_INVOCATION,
  type PoolView,
  setInvocation,
  thread,
  type WorkerSlot,
} from './worker-slot.js';

/**
 * Begins an activation.
 *
 * @param own the slot whose tasks others may steal; null without a pool
 * @param look without a pool: throws once the work has to end; every fork and checkpoint calls it
 * @returns the one below, for `leave`
 */
export function enter(own: WorkerSlot | null, pool: PoolView | undefined, look?: () => void): Activation {
  const { sp, base, split, floor, requests } = local;
  const { nestedSteals, nestedOwn, below } = thread;
  const under = {
    sp,
    base,
    split,
    floor,
    requests,
    own: thread.own,
    pool: thread.pool,
    look: thread.look,
    nestedSteals,
    nestedOwn,
    below,
    attached: attached(),
  };
  local.base = sp;
  local.split = sp;
  local.floor = sp;
  thread.own = own;
  thread.look = look;
  listen(own);
  thread.pool = pool;
  thread.dependencies = 0;
  thread.race = 0;
  thread.nestedSteals = 0;
  thread.nestedOwn = 0;
  thread.running = own?.checked === true ? { below: thread.running } : undefined;
  return under;
}

/** Ends the activation above this one. Never throws. */
export function leave(under: Activation): void {
  while (local.sp > under.sp) {
    local.stack[--local.sp] = null; // nothing is left unless a worker has crashed
    noHandle(local.sp);
  }
  local.base = under.base;
  local.split = under.split;
  local.floor = under.floor;
  local.requests = under.requests;
  putBack(under.attached); // first: others see it on the slot that is left
  thread.own = under.own;
  thread.pool = under.pool;
  thread.look = under.look;
  thread.nestedSteals = under.nestedSteals;
  thread.nestedOwn = under.nestedOwn;
  thread.below = under.below;
}

/** The attachment of this thread, to be put back by `detach`. */
export const attached = (): Attachment => ({
  invocation: thread.invocation,
  dependencies: thread.dependencies,
  race: thread.race,
  running: thread.running,
});

function putBack({ invocation, dependencies, race, running }: Attachment): void {
  name(invocation);
  thread.dependencies = dependencies;
  thread.race = race;
  thread.running = running;
}

/** Names the invocation whose task runs from now on within this activation; `dependencies` and `race` are those of that task. */
export function attach(own: WorkerSlot | null, invocation: number, dependencies: number, race = 0): void {
  listen(own);
  thread.race = race;
  if (own === null) thread.invocation = invocation;
  else setInvocation(own, invocation);
  thread.dependencies = unionOfDependencies(thread.dependencies, dependencies);
}

/** Ends what `attach` began, whether that has thrown or not. @param outer what `attached` gave before it */
export function detach(outer: Attachment): void {
  putBack(outer);
  if (outer.invocation === NO_INVOCATION) leaveStack();
}

/** Does something as if the activation below were on top: for what publishes its tasks. Other threads do not see it. */
export function within(under: Activation, act: () => void): void {
  const { sp, split } = local;
  const { isolated } = thread;
  const here = attached();
  local.sp = under.sp;
  local.split = under.split;
  Object.assign(thread, under.attached);
  thread.isolated = undefined; // an isolation gives way to nobody
  try {
    act();
  } finally {
    under.split = local.split;
    local.sp = sp;
    local.split = split;
    Object.assign(thread, here);
    thread.isolated = isolated;
  }
}

/** Names an invocation for the slot that is active. */
function name(invocation: number): void {
  if (thread.invocation === invocation) return;
  if (thread.own === null) thread.invocation = invocation;
  else setInvocation(thread.own, invocation);
}

/** Forks and joins look at the request word of a slot from now on. */
function listen(own: WorkerSlot | null): void {
  const isAlone = thread.look === undefined && thread.observer?.seesForks !== true;
  if (own === null) local.requests = isAlone ? NOBODY_ASKS : LOOKS_ITSELF;
  else local.requests = own.requests;
}
