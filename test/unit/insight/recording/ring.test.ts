import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RING_BYTES, RingMemory, RingReader, RingWriter } from '../../../../src/insight/recording/ring.js';
import { TASK, type TimelineEvent } from '../../../../src/insight/recording/timeline-event.js';

const ring = (): RingMemory => new RingMemory(new Uint8Array(RING_BYTES).fill(255)).cleared();

test('a reader gets what was written, in order, and is told how much found no room', () => {
  const rounds = fc.array(fc.tuple(fc.nat(6000), fc.nat(40)), { maxLength: 12 });
  const goes = (rounds: [number, number][]): void => {
    const memory = ring();
    const writer = new RingWriter(memory);
    const reader = new RingReader(memory);
    const got: number[] = [];
    let [written, lost] = [0, 0];
    for (const [count, names] of rounds) {
      for (let k = 0; k < count; k++, written++) {
        const name = `task ${written % (names + 1)} ${'x'.repeat(names)}`;
        writer.write(TASK, writer.nameOf(name, name, 'module.mjs'), written + 0.25, 1 / (written + 1), written);
      }
      lost += reader.read(({ kind, name, module, startUs, us, about }) => {
        got.push(about);
        const isRight =
          kind === TASK &&
          module === 'module.mjs' &&
          startUs === about + 0.25 &&
          us === 1 / (about + 1) &&
          /^task \d+ x*$/.test(name);
        if (!isRight)
          throw new Error(`event ${about} is wrong: ${JSON.stringify({ kind, name, module, startUs, us })}`);
      });
    }
    expect(got.length + lost).toBe(written);
    expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
    if (rounds.every(([count]) => count <= 5000)) expect(lost).toBe(0);
  };
  fc.assert(fc.property(rounds, goes), {
    numRuns: 20,
    examples: [
      [
        [
          [20_000, 3],
          [20_000, 0],
        ],
      ],
    ],
  });
});

test('a thread that comes after another goes on in its ring, with names of its own', () => {
  const memory = ring();
  const events: TimelineEvent[] = [];
  const reader = new RingReader(memory);
  for (const name of ['first', 'second']) {
    const writer = new RingWriter(memory);
    writer.write(TASK, writer.nameOf(name, name), 1, 1, 0);
    if (name === 'second') writer.write(TASK, writer.nameOf('more', 'ä'.repeat(200)), 1, 1, 0);
  }
  expect(reader.read((event) => events.push(event))).toBe(0);
  expect(events.map(({ name }) => name)).toEqual(['first', 'second', expect.stringMatching(/^ä{127,128}.?$/)]);
});

test('a writer that reads itself when there is no room loses nothing', () => {
  const memory = ring();
  const reader = new RingReader(memory);
  let got = 0;
  const read = (): number => reader.read(() => got++);
  const writer = new RingWriter(memory, read);
  for (let k = 0; k < 50_000; k++) writer.write(TASK, writer.nameOf('a', 'a'), k, 0, k);
  expect([read(), got]).toEqual([0, 50_000]);
});
