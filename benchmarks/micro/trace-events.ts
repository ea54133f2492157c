/** Measures what an event of a timeline costs the thread that it tells of; on the main thread. It reaches into the source: no program can make an event alone. */
import { RING_BYTES, RingMemory, RingReader, RingWriter } from '../../src/insight/recording/ring.js';
import { TASK } from '../../src/insight/recording/timeline-event.js';
import type { Benchmark } from '../harness/benchmark.js';
import { atMost, type Figure, figure } from '../harness/figure.js';

/** Fewer than a ring holds: nothing is lost, and the reader's time does not count. */
const EVENTS = 10_000;
const ROUNDS = 200;
const WARM_UP = 20;

const NS_PER_EVENT = 1e6 / EVENTS;

/** Makes as many events as `EVENTS` in a ring that is read between two rounds; gives the nanoseconds of one in each round. */
function roundsOf(rounds: number, round: (writer: RingWriter) => void): number[] {
  const memory = new RingMemory(new Uint8Array(new SharedArrayBuffer(RING_BYTES)));
  const writer = new RingWriter(memory);
  const reader = new RingReader(memory);
  const took: number[] = [];
  for (let k = -WARM_UP; k < rounds; k++) {
    const startMs = performance.now();
    round(writer);
    const ms = performance.now() - startMs;
    if (k >= 0) took.push(ms * NS_PER_EVENT);
    if (reader.read(() => {}) > 0) throw new Error('events were lost');
  }
  return took;
}

function measure(rounds: number): Figure[] {
  const label = {};
  const event = roundsOf(rounds, (writer) => {
    for (let k = 0; k < EVENTS; k++) writer.write(TASK, writer.nameOf(label, 'task'), k, 1, k);
  });
  const clock = roundsOf(rounds, () => {
    let sum = 0;
    for (let k = 0; k < EVENTS; k++) sum += performance.now();
    if (Number.isNaN(sum)) throw new Error('the clock gives no numbers');
  });
  return [
    figure('an event', event, { unit: 'ns', target: atMost(100) }),
    figure('a reading of the clock, of which a slice takes two', clock, { unit: 'ns' }),
  ];
}

export const traceEvents: Benchmark = {
  name: 'trace-events',
  says: 'what it takes to write an event of a timeline into a ring.',
  notFor: 'what the owner of the pool does with the events: it reads them, and writes them into a file.',
  measure: async ({ short }) => measure(short ? ROUNDS / 10 : ROUNDS),
};
