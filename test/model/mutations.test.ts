/** Every planted bug is found by the scenario that is said to find it: what the models check, they can see. */
import { describe, expect, test } from 'vitest';
import { call, drop } from '../../scripts/changes/index.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { Explorer } from './explorer/explorer.js';
import { loadSource } from './explorer/load-source.js';
import { ModelFailure } from './explorer/scenario.js';
import { MUTATIONS } from './mutations/all.js';
import { SCENARIOS } from './scenarios/all.js';

describe('a planted bug is found', () => {
  test.each(MUTATIONS.map((mutation) => [mutation.name, mutation.caughtBy, mutation] as const))(
    '%s -> %s',
    async (_name, caughtBy, mutation) => {
      const entry = SCENARIOS.get(caughtBy);
      if (entry === undefined) throw new Error(`there is no scenario '${caughtBy}'`);
      const makeCopy = await loadSource([...(entry.changes ?? []), ...mutation.changes]);
      const explorer = new Explorer(entry.make(), makeCopy, mutation.bound ?? entry.bound);
      expect(() => explorer.explore()).toThrow(ModelFailure);
    },
    LONG_TEST_HANG_MS,
  );
});

test('a mutation that no longer fits the source is an error', async () => {
  const stale = drop('src/core/worker/sleep.ts', 'wakeSlot', call('notInTheSource'));
  await expect(loadSource([stale])).rejects.toThrow(/call of notInTheSource is there 0 times, not once/);
  await expect(loadSource([drop('src/core/pool/stats.ts', 'statsOf', call('add'))])).rejects.toThrow(
    /not among what the model checks/,
  );
});
