/** Bugs planted in pools and invocations; bug.ts says how. */
import type { PlantedBug } from './bug.js';

export const POOL_BUGS: readonly PlantedBug[] = [
  {
    name: 'an invocation that could not be prepared waits for ever',
    changes: [
      {
        file: 'src/core/pool/invocation.ts',
        find: '      this.#prepare(invocation);\n      if (isCounted) this.#line.add(invocation);',
        replace: '      if (isCounted) this.#line.add(invocation);\n      this.#prepare(invocation);',
      },
      {
        file: 'src/core/pool/invocation.ts',
        find: '      for (const act of atEnd) act();\n      throw error;',
        replace: '      throw error;',
      },
    ],
    caughtBy: 'pool commands',
    isQuick: true,
  },
  {
    name: 'an abort after the end of a task, while reports are left, ends the workers',
    changes: [
      {
        file: 'src/core/pool/cancellation.ts',
        find: '    if (!this.#all.isInFlight(invocation) || this.#isDone(invocation)) return;',
        replace: '    if (!this.#all.isInFlight(invocation)) return;',
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'terminate() does not reach calls of plain values',
    changes: [
      {
        file: 'src/core/pool/fork-join-pool.ts',
        find: `    this.#inFlight.terminate(cancellationError(CANCELLED_BY_POOL));`,
        replace: ``,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'a chunk with a failure waits for calls after it',
    changes: [
      {
        file: 'src/algorithms/values/chunk.ts',
        find: `if (lowest > failedAt) this.#limits.cancel(explained(this.#call, failure));`,
        replace: ``,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'chunks of a call in a scope have no signal',
    changes: [
      {
        file: 'src/algorithms/values/call-in-pool.ts',
        find: `[RUN_JOB](task, dependencies, signal)`,
        replace: `[RUN_JOB](task, dependencies)`,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'an onProgress that throws ends the process',
    changes: [{ file: 'src/core/pool/call.ts', find: `signal.abort(error);`, replace: `throw error;` }],
    caughtBy: 'pool commands',
  },
  {
    name: 'maxQueue does not count calls of plain values',
    changes: [
      {
        file: 'src/core/pool/invocation.ts',
        find: `const isCounted = worker === 0 && held !== 'later';`,
        replace: `const isCounted = worker === 0 && held === undefined;`,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'the rejection of a refused promise ends its worker',
    changes: [
      {
        file: 'src/core/task/slow-paths.ts',
        find: `    if (isPromise(refused)) refused.then(undefined, () => {});`,
        replace: ``,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'normal work starves under queued high work',
    changes: [
      {
        file: 'src/core/worker/find-task.ts',
        find: `const takesAged = !isAged &&`,
        replace: `const takesAged = isAged &&`,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'an abandoned task keeps no arrays',
    changes: [
      {
        file: 'src/extensions/async/coroutine.ts',
        find: `this.#letGo = keepArrays();`,
        replace: `this.#letGo = () => {};`,
      },
    ],
    caughtBy: 'pool commands',
  },
  {
    name: 'free waits for every invocation',
    changes: [
      {
        file: 'src/core/memory/shared-array.ts',
        find: `return pins > 0 ? BY_PINS : BY_OTHERS;`,
        replace: `return pins > 0 ? BY_PINS : BY_ANYBODY;`,
      },
    ],
    caughtBy: 'pool commands',
  },
];
