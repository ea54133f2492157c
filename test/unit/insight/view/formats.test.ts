import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BinaryFormat, HEADER } from '../../../../src/insight/recording/binary-format.js';
import type { Track } from '../../../../src/insight/recording/chrome-events.js';
import { JsonFormat, type TimelineFormat } from '../../../../src/insight/recording/json-format.js';
import {
  CONTINUED,
  COPY,
  COROUTINE,
  GAUGE,
  HEAP,
  INVOCATION,
  JOB,
  NODE,
  nodeKey,
  PUBLISHED,
  QUEUE_DEPTH,
  READY,
  ROOT,
  STOLEN,
  TASK,
  UNITS,
  WAITED,
} from '../../../../src/insight/recording/timeline-event.js';
import { isBinaryTimeline, readBinary } from '../../../../src/insight/view/binary-timeline.js';
import { readChrome } from '../../../../src/insight/view/chrome-timeline.js';
import { hintsOf } from '../../../../src/insight/view/hints.js';
import { nestingOf } from '../../../../src/insight/view/nesting.js';
import { rewrite } from '../../../../src/insight/view/rewrite.js';
import type { TimelineTable } from '../../../../src/insight/view/timeline-table.js';
import { longTimeline } from '../../../helpers/drawn-timelines.js';
import { timelineOf } from '../../../helpers/timeline.js';

const START_US = 1.7e15;

const bytesOf = (...pieces: readonly Uint8Array[]): Uint8Array => Buffer.concat(pieces);

/** What a recorder gives to a format: every kind, in the order of ends. */
function record(format: TimelineFormat): Uint8Array {
  const tracks: Track[] = [
    { tid: 0, name: 'caller', other: () => undefined },
    { tid: 7, name: 'pool, worker 1', other: () => undefined },
    { tid: 3, name: 'pool, worker 2 \u00fc', other: (slot) => tracks[slot] },
  ];
  const pool = { tid: 0, name: 'pool', other: () => undefined };
  const add = (track: number, kind: number, name: string, from: number, us: number, about = 0, module = ''): void =>
    format.add({ kind, name, module, startUs: START_US + from, us, about }, tracks[track]);
  const pieces = [format.begin];
  const process = { name: 'shop.mjs (12)', startUs: 1.75e15 };
  format.process(0, { ...process, clocks: [] });
  for (const track of tracks) format.name(track);
  add(1, PUBLISHED, 'published', 3.25, 0);
  add(2, STOLEN, 'leaf', 5.125, 40.5, 1, 'file:///app/tasks.mjs');
  add(1, TASK, 'leaf', 4, 16.001, 0, 'file:///app/tasks.mjs');
  pieces.push(format.take());
  add(1, UNITS, 'map', 21, 1_000_000.5, 5_000_000_000);
  add(1, ROOT, 'root', 2, 1_000_100, 0, 'file:///app/tasks.mjs');
  add(0, COPY, 'copying an array', 0.5, 1, 80_000);
  add(0, INVOCATION, 'root', 1.5, 1_000_200, 1, 'file:///app/tasks.mjs');
  add(0, COROUTINE, 'later', 1_000_300, 0, 2);
  add(1, CONTINUED, 'later', 1_000_405, 3, 2, 'file:///app/tasks.mjs');
  add(1, HEAP, 'heap in use', 1_000_400, 12_345_678);
  add(1, NODE, 'total', 1_000_410, 5, nodeKey(4095, 2 ** 20 - 1), 'orders');
  add(1, READY, 'ready', 1_000_416, nodeKey(3, 7) as number, nodeKey(3, 8));
  add(0, WAITED, 'waiting for database', 1_000_300, 150, 40);
  add(0, WAITED, 'waiting for database', 1_000_310, 140, 40);
  add(0, JOB, 'fib', 1_000_320, 141, 0xfedcba98);
  add(0, GAUGE, 'items that wait', 1_000_470, 12, 0, 'map(), stage 1');
  format.process(0, { ...process, clocks: [{ atUs: 5, offsetUs: -1234.5, errorUs: 80 }] });
  format.add(
    { kind: QUEUE_DEPTH, name: 'public tasks', module: '', startUs: START_US + 1_000_500, us: 3, about: 0 },
    pool,
  );
  return bytesOf(...pieces, format.take(), format.end(17));
}

const rewritten = (table: TimelineTable, format: TimelineFormat): Uint8Array => {
  const pieces: Uint8Array[] = [];
  rewrite(table, format, (piece) => pieces.push(piece));
  return bytesOf(...pieces);
};

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('a binary timeline', () => {
  const binary = record(new BinaryFormat(START_US));
  const json = textOf(record(new JsonFormat(START_US)));

  test('gives the JSON that would have been written in its place', () => {
    expect(isBinaryTimeline(binary)).toBe(true);
    expect(timelineOf(json).problems).toEqual([]);
    expect(JSON.parse(textOf(rewritten(readBinary(binary), new JsonFormat(0))))).toEqual(JSON.parse(json));
  });

  test('gives tasks other names in JSON that other programs take for what Chrome writes', () => {
    const format = new JsonFormat(START_US);
    const pieces = [format.begin];
    const track = { tid: 1, name: 'pool, worker 1', other: () => undefined };
    format.name(track);
    const names = ['Profile', 'ProfileChunk', 'CpuProfile', 'Screenshot', 'ScriptCatchup', 'thread_name', 'Profiles'];
    for (const [k, name] of names.entries())
      format.add({ kind: ROOT, name, module: '', startUs: START_US + 10 * k, us: 5, about: 0 }, track);
    const { problems, slices } = timelineOf(textOf(bytesOf(...pieces, format.take(), format.end(0))));
    expect(problems).toEqual([]);
    expect(slices('root').map(({ name }) => name)).toEqual(
      names.map((name) => (name === 'Profiles' ? name : `${name}()`)),
    );
  });

  test('is what JSON is read as', () => {
    const [a, b] = [readBinary(binary), readChrome(json)];
    const told = ({ names, threads, ...table }: TimelineTable) =>
      Array.from({ length: table.length }, (_, row) => [
        table.kind[row],
        threads[table.thread[row]],
        names[table.name[row]],
        table.start[row],
        table.amount[row],
        table.about[row],
      ]);
    expect(told(b)).toEqual(told(a));
    expect([a.dropped, b.dropped]).toEqual([17, 17]);
    expect(a.processes).toEqual([
      { name: 'shop.mjs (12)', startUs: 1.75e15, clocks: [{ atUs: 5, offsetUs: -1234.5, errorUs: 80 }] },
    ]);
    expect(b.processes).toEqual(a.processes);
  });

  test('is whole up to the record in which it was cut off', () => {
    const lengths = new Set<number>();
    for (let cut = HEADER.length; cut < binary.length; cut++) lengths.add(readBinary(binary.subarray(0, cut)).length);
    expect([...lengths]).toEqual(Array.from({ length: 18 }, (_, length) => length));
  });

  test('takes a tenth of the bytes of JSON', () => {
    const table = longTimeline(20_000);
    const small = rewritten(table, new BinaryFormat(0));
    expect(readBinary(small).length).toBe(table.length);
    expect(small.length / table.length).toBeLessThan(11);
    expect(small.length).toBeLessThan(rewritten(table, new JsonFormat(0)).length / 10);
  });

  test('that is damaged is read or refused, and never breaks what looks at it', () => {
    const bytes = fc.array(fc.tuple(fc.integer({ min: HEADER.length, max: binary.length - 1 }), fc.nat(255)), {
      maxLength: 5,
      minLength: 1,
    });
    fc.assert(
      fc.property(bytes, (changes) => {
        const damaged = binary.slice();
        for (const [at, byte] of changes) damaged[at] = byte;
        try {
          hintsOf(nestingOf(readBinary(damaged)));
        } catch (error) {
          expect(String(error)).toMatch(/^TypeError: furcate: the timeline is damaged/);
        }
      }),
    );
  });

  test('of another program is read without events that are none', () => {
    const fine = { ph: 'X', cat: 'root', name: 'fine', ts: 1, dur: 2, pid: 1, tid: 1 };
    const others = [
      null,
      3,
      { ...fine, name: null },
      { ...fine, ts: 'a' },
      { ...fine, tid: {} },
      { ...fine, dur: null },
    ];
    const table = readChrome(JSON.stringify({ traceEvents: [...others, fine, { ...fine, args: null }] }));
    expect(table.length).toBe(2);
    expect(hintsOf(nestingOf(table))).not.toEqual([]);
  });

  test('of another version, and what is no timeline, is refused', () => {
    const other = new TextEncoder().encode('furcate timeline 2\n');
    expect(isBinaryTimeline(other)).toBe(true);
    expect(() => readBinary(other)).toThrow(/^furcate: this is no timeline that this version can read/);
    for (const text of ['', '{}', 'null', '[1]', '{"traceEvents":1}'])
      expect(() => readChrome(text)).toThrow(/^furcate: this is no timeline: it is neither/);
  });
});
