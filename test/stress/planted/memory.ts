/** Bugs planted in what happens while the shared heap is full, and in what gives its memory back; bug.ts says how. */
import type { PlantedBug } from './bug.js';

const BLOCKING = 'src/extensions/spares/blocking.ts';
const PARTS = 'src/core/code/parts.ts';

export const MEMORY_BUGS: readonly PlantedBug[] = [
  {
    name: 'a part that the heap has no room for is never published again',
    changes: [
      {
        file: PARTS,
        find: `    publish(name);
    unpublished.delete(name); // last: the heap may be full`,
        replace: `    unpublished.delete(name);
    publish(name);`,
      },
      {
        file: 'src/core/code/resolver.ts',
        find: `      return { ...entry, failure: messageOf(error) }; // not remembered: a stack or memory may have been used up`,
        replace: `      const failed = { ...entry, failure: messageOf(error) };
      this.#known[id] = failed;
      return failed;`,
      },
    ],
    caughtBy: 'full heap',
    isQuick: true,
  },
  {
    name: 'the first call of an algorithm throws when the heap is full',
    changes: [
      { file: PARTS, find: `codeTable().find('part', name, '')`, replace: `codeTable().idOf('part', name, '')` },
    ],
    caughtBy: 'full heap',
  },
  {
    name: 'an error of a task becomes the error that the heap is full',
    changes: [
      {
        file: 'src/core/task/codec.ts',
        find: 'writeLastWords(memory, w, thrown, failure as Error)',
        replace: 'writeLastWords(memory, w, failure, failure as Error)',
      },
    ],
    caughtBy: 'full heap',
  },
  {
    name: 'a blocking section counts as blocked before it can fail',
    changes: [
      {
        file: BLOCKING,
        find: '  publishParts(); // the owner and the spare may not have this part; first: it throws if the heap is full\n',
        replace: '',
      },
      {
        file: BLOCKING,
        find: 'else if (number <= layout.maxSpares) onBlocked(number);',
        replace: `else if (number <= layout.maxSpares) {
    publishParts();
    onBlocked(number);
  }`,
      },
    ],
    caughtBy: 'full heap',
  },
];
