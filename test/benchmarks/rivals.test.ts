import { describe, expect, test } from 'vitest';
import { open, SYSTEMS } from '../../benchmarks/rivals/systems.js';
import { WORKS } from '../../benchmarks/rivals/works.js';

const SHARE = 0.001;

describe.each(Object.keys(WORKS))('%s', (work) => {
  test('all systems that can do it agree on its answer', async () => {
    const answers: Record<string, number> = {};
    for (const system of SYSTEMS) {
      const candidate = await open(work, system, SHARE);
      if (candidate === undefined) continue;
      candidate.prepare();
      answers[system] = await candidate.call();
      expect(candidate.isRight()).toBe(true);
      await candidate.close();
    }
    expect(answers['plain']).toBeGreaterThan(0);
    expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((system) => [system, answers['plain']])));
  });
});
