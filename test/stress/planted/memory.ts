/** Bugs planted in what happens while the shared heap is full, and in what gives its memory back; bug.ts says how. */
import {
  call,
  drop,
  insertBefore,
  inside,
  last,
  moveBefore,
  name,
  replace,
  returning,
} from '../../../scripts/changes/index.js';
import type { PlantedBug } from './bug.js';

const BLOCKING = 'src/extensions/spares/blocking.ts';
const CODEC = 'src/core/task/codec.ts';
const PARTS = 'src/core/library/parts.ts';
const RESOLVER = 'src/core/code/resolver.ts';

export const MEMORY_BUGS: readonly PlantedBug[] = [
  {
    name: 'a part that the heap has no room for is never published again',
    changes: [
      moveBefore(PARTS, 'publishParts', call('unpublished.delete'), call('publish')),
      replace(RESOLVER, 'tryResolve', last(returning('messageOf')), 'return (this.#known[id] = $1);'),
    ],
    caughtBy: 'full heap',
    hangs: true,
    isQuick: true,
  },
  {
    name: 'the first call of an algorithm throws when the heap is full',
    changes: [replace(PARTS, 'publishedText', call('find'), 'codeTable().idOf($1, $2, $3)')],
    caughtBy: 'full heap',
  },
  {
    name: 'an error of a task becomes the error that the heap is full',
    changes: [replace(CODEC, 'writeError', inside(call('writeLastWords'), name('thrown')), 'failure')],
    caughtBy: 'full heap',
  },
  {
    name: 'a blocking section counts as blocked before it can fail',
    changes: [
      drop(BLOCKING, 'runBlocked', call('publishParts')),
      insertBefore(BLOCKING, 'lendWorker', call('onBlocked'), 'publishParts();'),
    ],
    caughtBy: 'full heap',
  },
];
