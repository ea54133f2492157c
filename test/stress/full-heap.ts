/**
 * Random calls of a process while the shared heap is full but for some bytes: each ends with its value or a clear error, and once there is room
 * again, everything works as if it had never been full. (test/faults/full-heap.test.ts makes each call with all amounts of room.)
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { runNode } from '../helpers/child-process.js';
import { fixture } from '../helpers/executors.js';
import { parametersOf, type RunOptions } from './run-options.js';

const { CALLS } = await fixture<{ readonly CALLS: Readonly<Record<string, unknown>> }>('crowding-flows.mjs');
const PROGRAM = fileURLToPath(new URL('../fixtures/programs/crowded.mjs', import.meta.url));

interface Case {
  readonly parallelism: number;
  readonly leftBytes: number;
  readonly calls: readonly string[];
  /** Whether the process has made the calls before. */
  readonly isWarm: boolean;
}

const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...Object.keys(CALLS)) },
  { weight: 1, arbitrary: fc.constant('a section that waits') },
);

const cases: fc.Arbitrary<Case> = fc.record({
  parallelism: fc.integer({ min: 1, max: 2 }),
  leftBytes: fc.constantFrom(16, 500, 2_000, 3_000, 4_500, 10_000, 30_000, 100_000),
  calls: fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
  isWarm: fc.constantFrom(false, false, true),
});

type Endings = Readonly<Record<'before' | 'full' | 'after' | 'in another pool', string>>;

async function check(each: Case): Promise<void> {
  const build = process.env['FURCATE_BUILD']; // undefined for the one that users get
  const first = build === undefined ? [] : ['--import', build];
  const { code, stdout, stderr } = await runNode(...first, PROGRAM, JSON.stringify(each));
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  for (const [name, endings] of Object.entries(JSON.parse(stdout) as Record<string, Endings>)) {
    const { before, full, after, 'in another pool': other } = endings;
    assert.ok(!/^(threw|rejected) /.test(after), `after: ${name}: ${after}`);
    assert.equal(other, after, `in another pool: ${name}`);
    if (each.isWarm) assert.equal(before, after, `before: ${name}`);
    if (full === after) continue;
    assert.match(full, /^rejected RangeError: furcate: .*shared heap/, `full: ${name}`);
    if (each.isWarm) assert.ok(!/^an error of a task/.test(name), `full: ${name}: ${full}`);
  }
}

/** Each run is a process. */
export const fillHeaps = (run: RunOptions): Promise<void> =>
  fc.assert(fc.asyncProperty(cases, check), parametersOf(run));
