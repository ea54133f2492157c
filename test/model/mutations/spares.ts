/** Bugs planted in blocking sections and spare threads; all.ts says how. */
import type { Mutation } from './mutation.js';

const BLOCKING = 'src/extensions/spares/blocking.ts';
const REST = 'src/extensions/spares/rest.ts';
const START = 'src/extensions/spares/start.ts';
const SEARCH = 'src/core/worker/search.ts';
const SLOT = 'src/core/worker/worker-slot.ts';
const CONTROL = 'src/core/memory/control.ts';

export const SPARE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a section begins without publishing what its thread has forked',
    file: BLOCKING,
    from: '  publishAll(own);\n  if (thread.below',
    to: '  if (thread.below',
    caughtBy: 'spares: a section',
  },
  {
    name: 'what a section forks stays private',
    file: BLOCKING,
    from: '  if (!own.checked) or(own.words, own.requestsWord, REQUEST_PUBLISH); // what `fn` forks\n',
    to: '',
    caughtBy: 'spares: a section that forks',
  },
  {
    name: 'a thread goes on to publish all that it forks when its section has ended',
    file: BLOCKING,
    from: '    if (!own.checked) and(own.words, own.requestsWord, ~REQUEST_PUBLISH);\n',
    to: '',
    caughtBy: 'spares: a section',
  },
  {
    name: 'a spare is woken before the thread counts as blocked (S10)',
    file: BLOCKING,
    from: '  const number = add(words, C_BLOCKED, 1) + 1; // S10: before the spare is woken. S11: before the look whether it is there\n',
    to: '  const number = load(words, C_BLOCKED) + 1;\n  if (number <= load(words, C_SPARES)) wakeSlot(memory, spareSlot(layout, number));\n  add(words, C_BLOCKED, 1);\n  if (number < 0)\n',
    caughtBy: 'spares: a section',
  },
  {
    name: 'a section wakes no spare (S10)',
    file: BLOCKING,
    from: '  if (number <= load(words, C_SPARES)) wakeSlot(memory, spareSlot(layout, number));\n  else if',
    to: '  if (number <= load(words, C_SPARES)) void 0;\n  else if',
    caughtBy: 'spares: a section',
  },
  {
    name: 'a spare does not look again before it sleeps (S10)',
    file: REST,
    from: 'event, look);\n  } while',
    to: 'event, () => false);\n  } while',
    caughtBy: 'spares: a section',
  },
  {
    name: 'a spare reads its event word after its last look (S10)',
    file: REST,
    from: '    sleep(own, STATE_WAITING, leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY, event, look);',
    to: '    if (!look()) sleep(own, STATE_WAITING, leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY, eventOf(own), () => false);',
    caughtBy: 'spares: a section',
  },
  {
    name: 'C_BLOCKED: a section that has ended still counts',
    file: BLOCKING,
    from: '    const last = sub(words, C_BLOCKED, 1);',
    to: '    const last = load(words, C_BLOCKED);',
    caughtBy: 'spares: a section',
  },
  {
    name: 'the first spare computes in every place, and the second in none',
    file: SEARCH,
    from: 'spareOf(own) > 0 && spareOf(own) > load(own.words, C_BLOCKED)',
    to: 'spareOf(own) > 0 && spareOf(own) >= load(own.words, C_BLOCKED) && spareOf(own) !== 1',
    caughtBy: 'spares: a spare that blocks',
  },
  {
    name: 'thieves do not look into the deques of spares',
    file: SLOT,
    from: '    if (spares > 0) return this.#ofSpares + 2 * spares;\n',
    to: '',
    caughtBy: 'spares: a spare that blocks',
  },
  {
    name: 'thieves look into the deques of spares, but not of the last one',
    file: SLOT,
    from: 'return this.#ofSpares + 2 * spares;',
    to: 'return this.#ofSpares + 2 * spares - 2;',
    caughtBy: 'spares: a spare that forks',
  },
  {
    name: 'a loop over slots leaves out the last spare',
    file: CONTROL,
    from: 'return rootsSlot(this.layout) + 1 + load(this.words, C_SPARES);',
    to: 'return rootsSlot(this.layout) + load(this.words, C_SPARES);',
    caughtBy: 'spares: a section',
  },
  {
    name: 'a section looks for its spare before the thread counts as blocked (S11)',
    file: BLOCKING,
    from: '  const number = add(words, C_BLOCKED, 1) + 1; // S10: before the spare is woken. S11: before the look whether it is there\n  if (number <= load(words, C_SPARES))',
    to: '  const there = load(words, C_SPARES);\n  const number = add(words, C_BLOCKED, 1) + 1;\n  if (number <= there)',
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'a section does not ask for a spare that has left',
    file: BLOCKING,
    from: '  else if (number <= layout.maxSpares) onBlocked(number);\n',
    to: '',
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'the owner does not look for blocked threads when a spare has left (S11)',
    file: START,
    from: '  start(home, load(home.memory.words, C_BLOCKED)); // S11: a thread may have been blocked meanwhile\n',
    to: '',
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'C_SPARES: a spare leaves without taking itself off',
    file: REST,
    from: 'compareExchange(words, C_SPARES, number, number - 1) === number',
    to: 'load(words, C_SPARES) === number',
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'C_SPARES: the owner starts a spare that nobody sees',
    file: START,
    from: '    if (compareExchange(words, C_SPARES, number - 1, number) !== number - 1) return; // S11: the spare below has just left\n',
    to: '',
    caughtBy: 'spares: a spare that leaves',
  },
  {
    name: 'a caller that blocks still keeps the last worker from computing (S6)',
    file: BLOCKING,
    from: "  store(words, C_CALLER_COMPUTES, 0); // S6: before the look at the last worker's state\n",
    to: '',
    caughtBy: 'spares: a caller that blocks',
  },
  {
    name: 'a caller that blocks does not wake the last worker (S6)',
    file: BLOCKING,
    from: '  wakeLast(memory);\n',
    to: '',
    caughtBy: 'spares: a caller that blocks',
  },
];
