/** Bugs planted in flows, most of which flows once had; bug.ts says how. */
import {
  binary,
  call,
  conditionOf,
  drop,
  ifOn,
  last,
  name,
  not,
  replace,
  setTo,
} from '../../../scripts/changes/index.js';
import type { PlantedBug } from './bug.js';

const FLAT = 'src/flows/pipeline/flat.ts';
const FLAT_TASK = 'src/flows/pipeline/flat-task.ts';
const SOURCE = 'src/flow/source.ts';
const AFTER = 'src/flows/graph/after.ts';

export const FLOW_BUGS: readonly PlantedBug[] = [
  {
    name: 'a result is copied when its promise is resolved, after other calls have written to it',
    changes: [replace('src/flow/returned.ts', 'Returned.copyOf', binary('!==', 'undefined'), 'false')],
    caughtBy: 'pipelines',
  },
  {
    name: 'results that leave their thread together are copied together',
    changes: [replace('src/flow/cargo.ts', 'Cargo.add', call('cloneOfValue'), '$1')],
    caughtBy: 'pipelines',
  },
  {
    name: 'the number of a generator is that of another run, too',
    changes: [
      setTo(
        'src/flows/pipeline/steps.ts',
        'Steps.paused',
        '(Steps as { all?: Map<number, Paused> }).all ??= new Map()',
      ),
    ],
    caughtBy: 'pipelines',
  },
  {
    name: 'a generator that begins on a spare is not paused',
    changes: [replace(FLAT_TASK, 'Part.constructor', name('mayPause'), '(mayPause && residents.address() % 4096 < 3)')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'without an order, a failure does not end the generator that made its item',
    changes: [replace(FLAT, 'Flat.accept', binary('??', 'within'), 'undefined')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'workers retire while a run keeps generators on them',
    changes: [replace('src/core/pool/pool-core.ts', 'PoolCore.#retireLater', not('isEmpty'), 'false')],
    caughtBy: 'pipelines',
  },
  {
    name: 'an idle worker forgets jobs that go on',
    changes: [replace('src/core/job/job.ts', 'forgetEndedJobs', call('hasEnded'), 'true')],
    caughtBy: 'pipelines',
  },
  {
    name: 'a thread with a paused generator takes a task that blocks',
    changes: [replace('src/core/worker/steal.ts', 'isForSpare', call('hasResidents'), 'false')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'a reader that leaves waits for tasks of others on the workers of its generators',
    changes: [replace(FLAT, 'Flat.#end', call('Math.min'), 'graceMs')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'a value of a thread is made again while its values end',
    changes: [setTo('src/core/worker/local-ends.ts', 'isLeaving', '(): boolean => false')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'the end of a source is awaited for ever',
    changes: [replace(SOURCE, 'Source.close', conditionOf(last(ifOn('graceMs'))), 'true')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'the end of a source that is being read is not awaited',
    changes: [replace(SOURCE, 'Source.close', call('isSettledWithin', 'patienceMs'), 'false')],
    caughtBy: 'pipelines',
  },
  {
    name: 'an iterator is over only if it says so by true',
    changes: [replace(SOURCE, 'Source.#accept', conditionOf(ifOn('done')), 'given.done === true')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'an iterator of a flatMap is over only if it says so by true',
    changes: [replace('src/flows/pipeline/steps.ts', 'Many.#own', conditionOf(ifOn('done')), 'given.done === true')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'generators that went together with long ones, and were not begun, are forgotten',
    changes: [replace(FLAT, 'Flat.#receive', call('#giveBack'), 'void 0')],
    caughtBy: 'pipelines',
    hangs: true,
  },
  {
    name: 'what visits add overtakes the items of the source',
    changes: [replace('src/flows/pipeline/expand.ts', 'Expand.#next', name('sourceFirst'), 'false')],
    caughtBy: 'pipelines',
  },
  {
    name: 'an item that cannot travel takes those before it along',
    changes: [replace('src/flow/sender.ts', 'ofMost', conditionOf(ifOn('half')), 'true')],
    caughtBy: 'pipelines',
  },
  {
    name: 'a large batch is spread as arguments',
    changes: [
      replace(
        'src/flows/pipeline/batch.ts',
        'Batch.#send',
        call('members.reduce'),
        '((seqs) => members.find(({ seq }) => seq === Math.min(...seqs)) as Item)(members.map(({ seq }) => seq))',
      ),
    ],
    caughtBy: 'pipelines',
  },
  {
    name: 'crashes name tasks of the library',
    changes: [replace('src/flow/sender.ts', 'Sender.#run', call('run'), 'this.#call.run($1, $2, how)')],
    caughtBy: 'pipelines',
  },
  {
    name: 'a node that is not to run waits for its permits',
    changes: [drop('src/flows/graph/waiting-run.ts', 'check', ifOn('isStopped'))],
    caughtBy: 'task graphs',
    hangs: true,
  },
  {
    name: 'results of a graph are lost, because workers retire while a node waits',
    changes: [replace('src/core/pool/pool-core.ts', 'PoolCore.#retireLater', not('isEmpty'), 'false')],
    caughtBy: 'task graphs',
  },
  {
    name: 'a result passes as it is to a node on its thread',
    changes: [replace('src/flows/graph/results.ts', 'keepResult', call('ownCopy'), 'value')],
    caughtBy: 'task graphs',
  },
  {
    name: 'what is ordered after a choice makes its result wait for the arm',
    changes: [
      replace(
        AFTER,
        'endChoices',
        call('draft.order.push'),
        'draft.order.push($1, $2, ...(last === result ? [] : [last, result]))',
      ),
    ],
    caughtBy: 'task graphs',
  },
  {
    name: 'a node in an object is taken for a value',
    changes: [
      replace(
        'src/flows/graph/builder.ts',
        'GraphBuilder.#refuseNodesIn',
        call('pathOfNode'),
        'undefined as string | undefined',
      ),
    ],
    caughtBy: 'task graphs',
  },
];
