/** Tells to what the code belongs that runs now; runs on every thread. */
import { isLoading } from '../code/main-module.js';
import { hasLeftStack } from '../deque/private-stack.js';
import { hooks } from './extension.js';
import { NO_INVOCATION, thread } from './worker-slot.js';

/** Checks whether this thread runs a task. A worker that imports a module between two tasks does not. */
export const isComputing = (): boolean => thread.invocation !== NO_INVOCATION;

/** No task runs on the stack, but asynchronous ones have begun here: what their code calls after an `await` cannot be told apart. */
export const isAwaiting = (): boolean => hooks.awaits() && hasLeftStack();

/** As `isComputing`, or as `isAwaiting` on a worker that imports no module. */
export const isInTask = (): boolean => isComputing() || (thread.own !== null && hooks.awaits() && !isLoading());

/** Returns true if every task has to cross to another thread. */
export const isChecked = (): boolean => thread.own?.checked === true;
