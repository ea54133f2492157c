/**
 * Puts timelines of several processes on one: by their clocks, as far as they were compared with one that all of them know, that of the server of a cluster. In the command.
 *
 * A process says how far that clock was ahead of its own at some times. Between two of them the difference is taken from both, in proportion to the time, since clocks drift. So
 * times of a process keep their order.
 */

import { hasValue } from '../recording/binary-format.js';
import type { ClockMeasure, TimelineProcess } from '../recording/chrome-events.js';
import { STOLEN } from '../recording/timeline-event.js';
import { TableBuilder, type TimelineTable } from './timeline-table.js';

/** Time by which the common clock is ahead of that of a process at a time (microseconds): 0 if it was not compared. */
export function offsetAt(clocks: readonly ClockMeasure[], us: number): number {
  let [low, high] = [0, clocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (clocks[middle].atUs < us) low = middle + 1;
    else high = middle;
  }
  const [a, b] = [clocks[Math.max(0, low - 1)], clocks[Math.min(low, clocks.length - 1)]];
  if (a === undefined || b === undefined) return 0;
  const share = a === b ? 0 : Math.max(0, us - a.atUs) / (b.atUs - a.atUs);
  return a.offsetUs + share * (b.offsetUs - a.offsetUs);
}

/** A time on the timeline of a process as one of the common clock (microseconds since 1970). */
const commonTime = ({ startUs, clocks }: TimelineProcess, us: number): number => startUs + us + offsetAt(clocks, us);

/** @throws TypeError for several timelines, one of which does not say when it begins */
export function merged(tables: readonly TimelineTable[]): TimelineTable {
  const [first, ...others] = tables;
  if (first === undefined || others.length === 0) return first ?? new TableBuilder().table(0);
  const processes = tables.flatMap((table) => table.processes);
  if (processes.some(({ startUs }) => startUs === 0))
    throw new TypeError(
      'furcate: one of these timelines does not say when it begins, so it cannot be put beside others. Record all of them as files: FURCATE_TRACE=out.bin.',
    );
  const beginUs = Math.min(...processes.map((process) => commonTime(process, 0)));
  const builder = new TableBuilder();
  let dropped = 0;
  let numbered = 0;
  for (const table of tables) {
    const names = builder.names.length;
    builder.names.push(...table.names);
    dropped += table.dropped;
    const places = table.threads.map(({ name, process }) => {
      const tid = builder.threads.length;
      builder.addThread(tid, `${table.processes[process]?.name}: ${name}`, numbered + process);
      return tid;
    });
    for (const [process, known] of table.processes.entries())
      builder.setProcess(numbered + process, {
        name: known.name,
        startUs: beginUs,
        clocks: known.clocks.map((clock) => ({ ...clock, atUs: commonTime(known, clock.atUs) - beginUs, offsetUs: 0 })),
      });
    numbered += table.processes.length;
    for (let row = 0; row < table.length; row++) {
      const [kind, thread] = [table.kind[row], table.thread[row]];
      const process = table.processes[table.threads[thread].process];
      const at = (us: number): number => commonTime(process, us) - beginUs;
      const start = at(table.start[row]);
      const amount = hasValue(kind) ? table.amount[row] : at(table.start[row] + table.amount[row]) - start;
      const about = kind === STOLEN && table.about[row] >= 0 ? places[table.about[row]] : table.about[row];
      builder.add(kind, places[thread], names + table.name[row], start, Math.max(0, amount), about);
    }
  }
  return builder.table(dropped);
}
