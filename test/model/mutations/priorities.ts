/** Bugs planted in how workers give way to roots that should not wait; all.ts says how. */
import type { Mutation } from './mutation.js';

const GIVE_WAY = 'src/core/worker/give-way.ts';
const JOIN = 'src/core/worker/join.ts';
const WAIT = 'src/core/worker/wait.ts';
const IDLE = 'src/core/worker/sleep.ts';
const AGEING = 'src/core/pool/ageing.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const CALLER = 'src/core/pool/caller.ts';

export const PRIORITY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a caller keeps the low priority of the root that had its record',
    file: CALLER,
    from: '  store(words, record + R_NEXT, OF_STACK); // the root that had the record before may have been of low priority\n',
    to: '',
    caughtBy: 'priorities: a caller after a low root',
  },
  {
    name: 'a worker forgets the request after its look (S9)',
    file: GIVE_WAY,
    from: '  } while (hasRun);\n',
    to: '  } while (hasRun);\n  and(own.words, own.requestsWord, ~REQUEST_ROOT);\n',
    caughtBy: 'priorities: high roots in a row',
  },
  {
    name: 'an owner asks workers to give way before it has pushed the root (S9)',
    file: INVOCATION,
    from: `    const next = queue === low ? LOW_ROOT : OF_STACK;
    const outer = pinTo(invocation.pins);
    try {
      if (!publishRecord(roots, entry, task, entry, dependencies, next, queue.deque)) return false;
    } catch (error) {
      this.#settle(invocation, { failed: true, value: error });
      return true;
    } finally {
      pinTo(outer);
    }
    invocation.entry = entry;
    if (queue === low) this.#ageing.pushedLow();
    if (worker > 0) wakeSlot(memory, worker);
    else if (queue === high || (queue === normal && low.invocations.size > 0)) wakeForRoot(memory);`,
    to: `    const next = queue === low ? LOW_ROOT : OF_STACK;
    if (queue === high) wakeForRoot(memory);
    const outer = pinTo(invocation.pins);
    try {
      if (!publishRecord(roots, entry, task, entry, dependencies, next, queue.deque)) return false;
    } catch (error) {
      this.#settle(invocation, { failed: true, value: error });
      return true;
    } finally {
      pinTo(outer);
    }
    invocation.entry = entry;
    if (queue === low) this.#ageing.pushedLow();
    if (worker > 0) wakeSlot(memory, worker);
    if (queue === normal && low.invocations.size > 0) wakeForRoot(memory);`,
    caughtBy: 'priorities: a high root',
  },
  {
    name: 'a join of a function looks for no roots',
    file: JOIN,
    from: "  if (typeof handle !== 'number') throw noHandle(handle);\n  giveWayIfAsked();\n",
    to: "  if (typeof handle !== 'number') throw noHandle(handle);\n",
    caughtBy: 'priorities: a high root',
  },
  {
    name: 'an owner pushes a root of high priority and asks nobody',
    file: IDLE,
    from: ' or(words, slotWord(layout, slot) + W_REQUESTS, REQUEST_ROOT); // S9: after the push\n',
    to: ' void slot;\n',
    caughtBy: 'priorities: a high root',
  },
  {
    name: 'an owner leaves joins that sleep alone',
    file: IDLE,
    from: '  wakeState(memory, STATE_JOINING, () => true);\n',
    to: '',
    caughtBy: 'priorities: a join that sleeps',
  },
  {
    name: 'a join does not look for a request to give way before it sleeps',
    file: WAIT,
    from: ' || mustGiveWay()) return true;',
    to: ') return true;',
    caughtBy: 'priorities: a join that sleeps',
  },
  {
    name: 'a root of high priority lets another one in',
    file: GIVE_WAY,
    from: '  if (thread.below !== undefined) return; // the look that has led here goes on\n',
    to: '',
    caughtBy: 'priorities: two high roots',
  },
  {
    name: 'a worker runs one root of high priority, and does not look for the next',
    file: GIVE_WAY,
    from: '  } while (hasRun);\n',
    to: '  } while (!hasRun && hasRun);\n',
    caughtBy: 'priorities: two high roots',
  },
  {
    name: 'a join of a root runs tasks of the invocation below (I1)',
    file: WAIT,
    from: 'k >= local.floor; k--) if (runInPlace(k))',
    to: 'k >= 0; k--) if (runInPlace(k))',
    caughtBy: 'priorities: a join on top',
  },
  {
    name: 'a root that clears a request to cancel clears it for the invocation below (C1)',
    file: GIVE_WAY,
    from: '  or(own.words, own.requestsWord, REQUEST_CANCEL); // C1: the root may have cleared a request to the invocation below\n',
    to: '',
    caughtBy: 'priorities: an abort below',
  },
  {
    name: 'W_INVOCATION: a worker that has run a root on top goes on to name that root',
    file: 'src/core/worker/activation.ts',
    from: '  else setInvocation(thread.own, invocation);',
    to: '  else thread.invocation = invocation;',
    caughtBy: 'priorities: an abort below',
  },
  {
    name: 'nobody is asked to run a root that has waited long',
    file: AGEING,
    from: '      if (isAged && areAllBusy(this.#roots)) wakeForRoot(memory);\n',
    to: '      void isAged;\n',
    caughtBy: 'priorities: an old root',
  },
  {
    name: 'C_AGED: no place counts as old',
    file: AGEING,
    from: '      store(memory.words, C_AGED, this.#end); // S9: before the request\n',
    to: '',
    caughtBy: 'priorities: an old root',
  },
  {
    name: 'C_AGED: workers are asked before they can see which roots are old (S9)',
    file: AGEING,
    from: '      store(memory.words, C_AGED, this.#end); // S9: before the request\n',
    to: '      if (isAged) wakeForRoot(memory);\n      store(memory.words, C_AGED, this.#end);\n      if (isAged) return;\n',
    caughtBy: 'priorities: an old root',
  },
  {
    name: 'an idle worker does not look for roots of low priority',
    file: 'src/core/worker/find-task.ts',
    from: 'const TASKS_FIRST = [highRoot, normalTask, normalRoot, lowRoot, anyTask];',
    to: 'const TASKS_FIRST = [highRoot, normalTask, normalRoot, anyTask];',
    caughtBy: 'priorities: a low root',
  },
  {
    name: 'a worker that runs an invocation of low priority does not look at normal roots',
    file: GIVE_WAY,
    from: ' || (isLow && runRoot(own, own.normalRoots));',
    to: ';',
    caughtBy: 'priorities: a low root below',
  },
  {
    name: 'C_LOW: nobody is asked to give way to a normal root',
    file: INVOCATION,
    from: '    else if (queue === high || (queue === normal && low.invocations.size > 0)) wakeForRoot(memory);',
    to: '    else if (queue === high) wakeForRoot(memory);',
    caughtBy: 'priorities: a low root below',
  },
];
