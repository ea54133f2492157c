/**
 * Calls of every public function while the shared heap is full, or nearly full: each works, or rejects with a `RangeError` that says so.
 * Afterwards everything works as if nothing had happened, and no memory is left.
 *
 * Each group of calls has a process of its own, because the first use of a function differs from later ones. There a call is made again and
 * again with a little more room each time, so it fails at every step that needs room.
 */
import { expect, test } from 'vitest';
import {
  ARRAY_HEADER_UNITS,
  BASE_UNITS,
  CODE_TAG,
  H_SIZE,
  H_TAG,
  STATE_BITS,
  STATE_FREE,
  STATE_MASK,
  UNIT_BYTES,
  W_LIMIT,
  W_RESERVED,
  W_TOP,
} from '../../src/core/memory/heap-layout.js';
import { runNode } from '../helpers/child-process.js';
import { fixture } from '../helpers/executors.js';

const { CALLS } = await fixture<{ CALLS: Record<string, unknown> }>('crowding-flows.mjs');

const LAYOUT = JSON.stringify({
  limit: W_LIMIT,
  reserved: W_RESERVED,
  top: W_TOP,
  base: BASE_UNITS,
  size: H_SIZE,
  tag: H_TAG,
  stateBits: STATE_BITS,
  stateMask: STATE_MASK,
  stateFree: STATE_FREE,
  codeTag: CODE_TAG,
  unitBytes: UNIT_BYTES,
  arrayHeader: ARRAY_HEADER_UNITS * UNIT_BYTES,
});

/** Calls that share no code with other groups, or differ in what they publish. */
const groups = new Map<string, string[]>();
for (const name of Object.keys(CALLS)) {
  const group = name.replace(/[:,].*$/, '').replace(/^an error.*/, 'errors of tasks');
  groups.set(group, [...(groups.get(group) ?? []), name]);
}

test.concurrent.each(
  [...groups].map(([group, names], k) => [group, names, k % 2 === 0 ? 'started' : 'unstarted'] as const),
)('%s', async (_group, names, starts) => {
  const { code, stdout, stderr } = await runNode(
    'test/fixtures/programs/full-heap.mjs',
    LAYOUT,
    JSON.stringify(names),
    starts,
  );
  expect(code, stderr).toBe(0);
  expect((JSON.parse(stdout) as { problems: string[] }).problems.slice(0, 5)).toEqual([]);
});
