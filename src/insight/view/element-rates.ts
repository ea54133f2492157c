/**
 * Time that an element of an algorithm takes: with one thread and with many, at first and later. In the command, and in the page that it writes.
 */
import { UNITS } from '../recording/timeline-event.js';
import { type BusyThreads, busyAt } from './busy-periods.js';
import { kindOfSlice, type Nesting, nameOfSlice } from './nesting.js';

/** Some units of an algorithm. */
interface RatedChunk {
  readonly us: number;
  readonly elements: number;
  readonly middle: number;
  /** Number of slices of the same name that its thread has run before. */
  readonly before: number;
}

/** So many of each thread may be slow because its code is not compiled yet. */
const FIRST = 3;
/** Fewer chunks say nothing. */
const LEAST = 8;

const rateOf = ({ us, elements }: RatedChunk): number => us / elements;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** By name. */
function chunksOf(nesting: Nesting): Map<string, RatedChunk[]> {
  const { table, row, start, end } = nesting;
  const chunks = new Map<string, RatedChunk[]>();
  const before = new Map<string, number>();
  for (let slice = 0; slice < nesting.length; slice++) {
    const elements = table.about[row[slice]];
    if (kindOfSlice(nesting, slice) !== UNITS || elements === 0) continue;
    const name = nameOfSlice(nesting, slice);
    const key = `${table.thread[row[slice]]} ${name}`;
    const known = chunks.get(name) ?? [];
    chunks.set(name, known);
    known.push({
      us: end[slice] - start[slice],
      elements,
      middle: (start[slice] + end[slice]) / 2,
      before: before.get(key) ?? 0,
    });
    before.set(key, (before.get(key) ?? 0) + 1);
  }
  return chunks;
}

/** Factor by which an element takes longer while many threads are busy. */
export interface Inflation {
  readonly name: string;
  readonly factor: number;
  readonly threads: number;
  readonly aloneUs: number;
  readonly manyUs: number;
}

/** The algorithm that suffers most; undefined if none ran often enough, both alone and beside as many as there were. */
export function inflationOf(nesting: Nesting, busy: BusyThreads, workers: readonly number[]): Inflation | undefined {
  let worst: Inflation | undefined;
  if (workers.length < 2) return undefined;
  for (const [name, all] of chunksOf(nesting)) {
    const chunks = all.filter(({ before }) => before >= FIRST);
    const beside = (threads: number): number[] =>
      chunks.filter(({ middle }) => busyAt(busy, middle) === threads).map(rateOf);
    const [alone, many] = [beside(1), beside(workers.length)];
    if (alone.length < LEAST || many.length < LEAST) continue;
    const [aloneUs, manyUs] = [median(alone), median(many)];
    const factor = manyUs / aloneUs;
    if (worst === undefined || factor > worst.factor)
      worst = { name, factor, threads: workers.length, aloneUs, manyUs };
  }
  return worst;
}

/** Time that the first chunks of all threads took longer than as many elements did later (microseconds). */
export function warmUpOf(nesting: Nesting): number {
  let extra = 0;
  for (const chunks of chunksOf(nesting).values()) {
    const later = chunks.filter(({ before }) => before >= FIRST);
    if (later.length < LEAST) continue;
    const usual = median(later.map(rateOf));
    for (const chunk of chunks) if (chunk.before < FIRST) extra += Math.max(0, chunk.us - 2 * usual * chunk.elements); // twice is within the usual
  }
  return extra;
}
