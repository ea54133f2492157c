/** Bugs planted in pools and invocations; bug.ts says how. */
import {
  binary,
  call,
  drop,
  ifOn,
  inside,
  last,
  loop,
  moveBefore,
  name,
  not,
  replace,
} from '../../../scripts/changes/index.js';
import type { PlantedBug } from './bug.js';

const CALL = 'src/core/pool/call.ts';
const CALL_JOB = 'src/core/pool/call-job.ts';
const CANCELLATION = 'src/core/pool/cancellation.ts';
const CHUNK = 'src/algorithms/values/chunk.ts';
const COROUTINE = 'src/extensions/async/coroutine.ts';
const HELP = 'src/core/worker/help.ts';
const INVOCATION = 'src/core/pool/invocation.ts';
const POOL = 'src/core/pool/pool-core.ts';
const SHARED_ARRAY = 'src/core/memory/shared-array.ts';
const SLOW_PATHS = 'src/core/task/slow-paths.ts';

export const POOL_BUGS: readonly PlantedBug[] = [
  {
    name: 'an invocation that could not be prepared waits for ever',
    changes: [
      moveBefore(INVOCATION, 'Invocations.submit', last(ifOn('isCounted')), call('#prepare')),
      drop(INVOCATION, 'Invocations.#prepare', loop()),
    ],
    caughtBy: 'pool commands',
    hangs: true,
    isQuick: true,
  },
  {
    name: 'an abort after the end of a task, while reports are left, ends the workers',
    changes: [drop(CANCELLATION, 'Cancellation.#endGrace', call('#isDone'))],
    caughtBy: 'pool commands',
  },
  {
    name: 'terminate() does not reach calls of plain values',
    changes: [drop(POOL, 'PoolCore.terminate', call('terminate'))],
    caughtBy: 'pool commands',
    hangs: true,
  },
  {
    name: 'a chunk with a failure waits for calls after it',
    changes: [drop(CHUNK, 'lane', call('cancel'))],
    caughtBy: 'pool commands',
    hangs: true,
  },
  {
    name: 'chunks of a call in a scope have no signal',
    changes: [drop(CALL, 'Call.#submit', inside(call('RUN_JOB'), name('signal')))],
    caughtBy: 'pool commands',
    hangs: true,
  },
  {
    name: 'an onProgress that throws ends the process',
    changes: [replace(CALL_JOB, 'nowAndThen', last(call('failed')), 'throw error;')],
    caughtBy: 'pool commands',
  },
  {
    name: 'maxQueue does not count calls of plain values',
    changes: [replace(INVOCATION, 'Invocations.submit', binary('!==', 'held'), '$1 === undefined')],
    caughtBy: 'pool commands',
  },
  {
    name: 'the rejection of a refused promise ends its worker',
    changes: [drop(SLOW_PATHS, 'disown', ifOn('isPromise'))],
    caughtBy: 'pool commands',
  },
  {
    name: 'normal work starves under queued high work',
    changes: [replace(HELP, 'agedRoot', not('wasAged'), '$1')],
    caughtBy: 'pool commands',
  },
  {
    name: 'an abandoned task keeps no arrays',
    changes: [replace(COROUTINE, 'Coroutine.abandon', call('keepArrays'), '() => {}')],
    caughtBy: 'pool commands',
  },
  {
    name: 'free waits for every invocation',
    changes: [replace(SHARED_ARRAY, 'namedBy', name('BY_OTHERS'), 'BY_ANYBODY')],
    caughtBy: 'pool commands',
    hangs: true,
  },
];
