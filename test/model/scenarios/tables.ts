/** Shared tables: threads put keys into a table that grows; each key gets one cell, and one thread is told that it is new. */
import { shapeFor, startOf, stateWords } from '../../../src/algorithms/containers/key-table.js';
import type { Library } from '../explorer/library.js';
import type { Scenario } from '../explorer/scenario.js';
import type { Seam } from '../explorer/seam.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';

/** Two cells, and 32 after the growth. */
const SHAPE = shapeFor(16, 1);
const STATE_WORDS = stateWords(SHAPE);
const CELLS = startOf(SHAPE, SHAPE.last + 1);
const SEAL = -1;

/** A table in the words of a model: the state, and then the cells. All keys have the same place. */
function tableOf({ KeyTable }: Library, words: Int32Array, seam: Pick<Seam, 'read' | 'compareExchange'>) {
  class ModelTable extends KeyTable {
    protected readonly specialKey = SEAL;
    protected hashOf = (): number => 0;
    protected heldFor = (key: number): number => key;
    protected keyOf = (held: number): number => held;
    protected specialOf = (key: number): number => (key === 0 ? 0 : -1);
    protected read = (cell: number): number => seam.read(words, STATE_WORDS + cell);
    protected isSeal = (found: number): boolean => found === SEAL;
    protected tryTake = (cell: number, key: number): boolean =>
      seam.compareExchange(words, STATE_WORDS + cell, 0, key) === 0;
    protected trySeal = (cell: number): boolean => this.tryTake(cell, SEAL);
    protected free = (): void => {};
  }
  return new ModelTable(SHAPE, words);
}

const inserter = (thread: number, keys: readonly number[]): ThreadBody => ({
  name: `thread ${thread}`,
  run(library, { buffer, note, seam }) {
    const table = tableOf(library, new Int32Array(buffer), seam);
    for (const key of keys) {
      const cell = table.insert(key);
      note(cell >= 0 ? `new ${key}` : `old ${key}`);
      const found = table.find(key);
      if (found !== (cell >= 0 ? cell : -1 - cell))
        throw new Error(`${key} was put into cell ${cell}, and is in ${found}`);
    }
  },
});

function tableScenario(name: string, keys: readonly (readonly number[])[]): Scenario {
  return {
    name,
    words: STATE_WORDS + CELLS,
    threads: keys.map((mine, thread) => inserter(thread, mine)),
    setUp(words) {
      for (let g = 0; g <= SHAPE.last; g++) words[STATE_WORDS + startOf(SHAPE, g + 1) - 1] = SEAL;
    },
    check({ notes, words }) {
      const distinct = [...new Set(keys.flat())].sort();
      const news = notes.flat().filter((note) => note.startsWith('new'));
      if (news.sort().join() !== distinct.map((key) => `new ${key}`).join())
        throw new Error(`${distinct.join()} were put into the table: ${news.join()}`);
      const cells = [...words.subarray(STATE_WORDS)].filter((key) => key !== 0 && key !== SEAL);
      if (cells.sort().join() !== distinct.filter((key) => key !== 0).join())
        throw new Error(`the table has ${cells.join()}`);
    },
    nameOf: (at) => (at < STATE_WORDS ? `state ${at}` : `cell ${at - STATE_WORDS}`),
  };
}

export const TABLES: Readonly<Record<string, () => Scenario>> = {
  'two threads': () =>
    tableScenario('two threads put the same keys into a table that grows', [
      [1, 2, 3],
      [3, 2, 1],
    ]),
  'three threads': () =>
    tableScenario('three threads put keys into a table that grows', [
      [1, 2],
      [3, 1],
      [2, 3],
    ]),
  'a key that looks free': () =>
    tableScenario('two threads put a key there that looks like a free cell', [[0, 1], [0]]),
};
