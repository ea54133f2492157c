/** Timelines that a test writes down: threads, and what they did when. */
import { hasValue } from '../../src/insight/recording/binary-format.js';
import {
  APART,
  CODE,
  CONTINUED,
  COPY,
  COROUTINE,
  GARBAGE,
  GAUGE,
  INVOCATION,
  JOB,
  LOST_STEAL,
  NODE,
  PUBLISHED,
  QUEUED,
  READY,
  ROOT,
  SLEEP,
  STOLEN,
  TASK,
  UNITS,
  WAIT,
  WAITED,
} from '../../src/insight/recording/timeline-event.js';
import { TableBuilder, type TimelineTable } from '../../src/insight/view/timeline-table.js';

const KINDS = {
  root: ROOT,
  stolen: STOLEN,
  apart: APART,
  task: TASK,
  units: UNITS,
  wait: WAIT,
  sleep: SLEEP,
  code: CODE,
  copy: COPY,
  garbage: GARBAGE,
  invocation: INVOCATION,
  published: PUBLISHED,
  lost: LOST_STEAL,
  queued: QUEUED,
  node: NODE,
  ready: READY,
  waited: WAITED,
  job: JOB,
  gauge: GAUGE,
  coroutine: COROUTINE,
  continued: CONTINUED,
} as const;

/** Thread, kind, name, begin and end (of what has a value in the place of a duration: that), and what it is about. */
export type Drawn = readonly [
  thread: number,
  kind: keyof typeof KINDS,
  name: string,
  from: number,
  to: number,
  about?: number,
];

/** @param threads their names */
export function drawnTimeline(threads: readonly string[], events: readonly Drawn[], dropped = 0): TimelineTable {
  const builder = new TableBuilder();
  for (const [tid, name] of threads.entries()) builder.addThread(tid, name);
  const names = new Map<string, number>();
  for (const [thread, kind, name, from, to, about = kind === 'stolen' ? -1 : 0] of events) {
    if (!names.has(name)) names.set(name, builder.names.push({ name, module: '' }) - 1);
    builder.add(KINDS[kind], thread, names.get(name) as number, from, hasValue(KINDS[kind]) ? to : to - from, about);
  }
  return builder.table(dropped);
}

/** A timeline of so many events: tasks on four threads, which sleep now and then. */
export function longTimeline(events: number): TimelineTable {
  const builder = new TableBuilder();
  for (let thread = 0; thread < 4; thread++) builder.addThread(thread, `pool, worker ${thread + 1}`);
  for (const name of ['leaf', 'branch', 'sleeping', 'whole']) builder.names.push({ name, module: '' });
  const each = Math.floor(events / 4);
  for (let thread = 0; thread < 4; thread++) {
    let us = 0;
    let opened = 0;
    for (let k = 0; k < each - 1; k++) {
      const length = 1 + ((k * 7919) % 13);
      if (k % 10 === 9) {
        builder.add(STOLEN, thread, 1, opened, us - opened, (thread + 1) % 4);
        opened = us + 5;
        us = opened;
      } else if (k % 10 === 4) {
        builder.add(SLEEP, thread, 2, us, length, 0);
        us += length;
      } else {
        builder.add(TASK, thread, 0, us, length, 0);
        us += length + 0.5;
      }
    }
    builder.add(INVOCATION, thread, 3, 0, us, 1);
  }
  return builder.table(0);
}
