/** Bugs planted in the source are found by the generators: the list fits the source, and those that are found soon are found here, too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changed } from '../../scripts/changes/index.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';
import { PLANTED_BUGS } from './planted/all.js';
import { hunt } from './planted/hunt.js';

/** The generated work is the same each time; only the schedule is not. */
const SEED = 1;

test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))('%s: its changes fit the source', (_name, bug) => {
  const texts = new Map<string, string>();
  for (const change of bug.changes) {
    const before = texts.get(change.file) ?? readFileSync(join(ROOT, change.file), 'utf8');
    texts.set(change.file, changed(before, change));
    expect(texts.get(change.file)).not.toBe(before);
  }
});

describe('a planted bug is found', () => {
  test.each(PLANTED_BUGS.filter(({ isQuick }) => isQuick).map((bug) => [bug.name, bug.caughtBy, bug] as const))(
    '%s -> %s',
    async (_name, _caughtBy, bug) => {
      const { isFound, output } = await hunt(bug, { seed: SEED, boundMs: LONG_TEST_HANG_MS / 2 });
      expect(isFound, output).toBe(true);
    },
    LONG_TEST_HANG_MS,
  );
});
