/** The best so far: threads offer and read at the same time; nobody reads two halves, and the best of all offers is left, with the least solution. */
import { cellWords, SLOT_BITS, W_CURRENT, W_FREE } from '../../../src/flows/best/cell.js';
import type { Scenario } from '../explorer/scenario.js';
import type { ThreadBody } from '../explorer/virtual-thread.js';

/** Words of a solution: the second one follows from the first and from the value, so that two halves show. */
const LENGTH = 2;
const WORDS = cellWords(LENGTH);

type Offer = readonly [value: number, first: number];

const solutionFor = ([value, first]: Offer): number[] => [first, 10 * value + first];

/** Offers one after the other, and looks at what is there before and after. */
const offerer = (thread: number, offers: readonly Offer[]): ThreadBody => ({
  name: `thread ${thread}`,
  run({ best }, { buffer, note }) {
    const words = new Int32Array(buffer);
    let last = Number.POSITIVE_INFINITY;
    const look = (): void => {
      const found = best.solutionOf(words, LENGTH);
      const value = best.bestValue(words, LENGTH);
      if (value > last) throw new Error(`the best value was ${last}, and is ${value}`);
      last = value;
      if (found === undefined) return;
      const [first, second] = found as unknown as [number, number];
      const whole = (second - first) / 10;
      if (!Number.isInteger(whole) || whole < value) throw new Error(`read ${first}, ${second} beside ${value}`);
    };
    for (const offer of offers) {
      const won = best.offer(words, offer[0], solutionFor(offer), 1);
      if (won) note(`won ${offer}`);
      look();
      if (last > offer[0]) throw new Error(`${offer[0]} was offered, and the best value is ${last}`);
    }
    note(`saw ${last}`);
  },
});

const reaper: ThreadBody = {
  name: 'reaper',
  run(_library, { kill }) {
    kill(0);
  },
};

const least = (offers: readonly Offer[]): Offer => [...offers].sort(([a, x], [b, y]) => a - b || x - y)[0] as Offer;

/** @param dies whether thread 0 dies at any moment */
function bestScenario(name: string, offers: readonly (readonly Offer[])[], dies = false): Scenario {
  return {
    name,
    words: WORDS,
    threads: [...offers.map((mine, thread) => offerer(thread, mine)), ...(dies ? [reaper] : [])],
    setUp(cells) {
      const worst = new Int32Array(new Float64Array([Number.POSITIVE_INFINITY]).buffer);
      cells.set(worst, 16);
      cells[W_FREE] = ~1;
    },
    check({ words, notes }) {
      const current = words[W_CURRENT] as number;
      const slot = current & ((1 << SLOT_BITS) - 1);
      const at = 16 + slot * 16;
      const value = new Float64Array(words.slice(at, at + 2).buffer)[0] as number;
      const found = `${value} ${[...words.slice(at + 3, at + 3 + LENGTH)]}`;
      const told = (best: Offer): string => `${best[0]} ${solutionFor(best)}`;
      const [first = [], ...others] = offers;
      const made = dies ? [0, 1, 2].map((count) => first.slice(0, count)) : [first]; // before it died
      const expected = made.map((some) => told(least([...some, ...others.flat()])));
      if (!expected.includes(found)) throw new Error(`the best is ${found}, not ${expected.join(' or ')}`);
      for (const seen of notes.flat().filter((note) => note.startsWith('saw ')))
        if (Number(seen.slice(4)) < value) throw new Error(`a thread ${seen}, which nobody has made the best`);
      const free = (words[W_FREE] as number).toString(2);
      const held = 32 - ((words[W_FREE] as number) >>> 0).toString(2).replaceAll('0', '').length;
      if (held !== 1 && !(dies && held === 2)) throw new Error(`${held} slots are held at the end: ${free}`);
      if ((((words[W_FREE] as number) >>> slot) & 1) !== 0 && !dies) throw new Error('the current slot is free');
    },
    nameOf: (at) => ({ [W_CURRENT]: 'W_CURRENT', [W_FREE]: 'W_FREE' })[at] ?? `word ${at}`,
  };
}

export const BEST: Readonly<Record<string, () => Scenario>> = {
  'two threads': () =>
    bestScenario('two threads that offer equal and better values', [
      [
        [5, 3],
        [4, 2],
      ],
      [
        [5, 1],
        [4, 4],
      ],
    ]),
  'three threads': () => bestScenario('three threads that offer at the same time', [[[5, 3]], [[5, 1]], [[6, 0]]]),
  'a death': () =>
    bestScenario(
      'a thread that dies at any moment of its offer keeps nobody from theirs',
      [
        [
          [5, 1],
          [3, 1],
        ],
        [[6, 3]],
      ],
      true,
    ),
};
