/** Random work has all that it may have: what is never drawn is never tested. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seedOfRun } from '../helpers/seed.js';
import { anyFlow, ENDS } from './pipelines/flow.js';
import { SOURCE_KINDS } from './pipelines/sources.js';
import { STAGE_NAMES } from './pipelines/stages.js';
import { anyNodes, OPS } from './task-graphs.js';

const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] =>
  fc.sample(arbitrary, { numRuns, seed: seedOfRun('draws') });

/** The properties that are the same in all objects of a list. */
function constantsOf<T extends object>(all: readonly T[]): string[] {
  const keys = Object.keys(all[0] as T) as (keyof T & string)[];
  return keys.filter((key) => new Set(all.map((each) => JSON.stringify(each[key]) ?? 'undefined')).size === 1);
}

test('random pipelines have every source, stage, end and mischief', () => {
  const flows = sample(anyFlow, 3_000);
  const sources = flows.map(({ source }) => source);
  const stages = flows.flatMap((flow) => flow.stages);
  expect([constantsOf(flows), constantsOf(sources), constantsOf(stages)]).toEqual([[], [], []]);
  expect(new Set(flows.map(({ end }) => end))).toEqual(new Set([undefined, ...Object.keys(ENDS)]));
  expect(new Set(sources.map(({ kind }) => kind))).toEqual(new Set(SOURCE_KINDS));
  expect(new Set(stages.map(({ kind }) => kind))).toEqual(new Set(STAGE_NAMES));
});

test('random graphs have every kind of node, and order', () => {
  const nodes = sample(anyNodes(3), 100).flat();
  expect(constantsOf(nodes)).toEqual([]);
  expect(new Set(nodes.map(({ op }) => op))).toEqual(new Set(OPS));
  const ordered = nodes.filter(({ op, after }) => after !== undefined && op === 'choose');
  expect(ordered.length).toBeGreaterThan(0);
});
