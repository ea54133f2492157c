/** Values whose objects lie deep inside each other: they cross, or an error names them. */
import { type ForkJoinPool, parallelMap } from 'furcate';
import { pipeline, taskGraph } from 'furcate/flows';
import { expect, test } from 'vitest';
import { poolMaker } from '../helpers/pools.js';

interface Link {
  readonly next: Link | undefined;
}

/** Deeper than any serializer goes that takes a frame of the stack for each level. */
const DEPTH = 300_000;

function chain(depth: number): Link | undefined {
  let link: Link | undefined;
  for (let k = 0; k < depth; k++) link = { next: link };
  return link;
}

const depthOf = (link: Link | undefined): number => {
  let depth = 0;
  for (let at = link; at !== undefined; at = at.next) depth++;
  return depth;
};

const poolOf = poolMaker('terminate');
const deep = chain(DEPTH);

/** Calls that such a value goes to, and comes from; and what their errors call it. */
const CALLS: Readonly<Record<string, [call: (pool: ForkJoinPool) => Promise<unknown>, called: RegExp]>> = {
  'items of a pipeline': [
    (pool) =>
      pipeline([deep], { pool })
        .map((x) => (x === undefined ? 0 : 1))
        .toArray(),
    /an item for fn of map\(\), stage 1 of the pipeline/,
  ],
  'results of a pipeline': [
    (pool) => pipeline([DEPTH], { pool }).map(chain).toArray(),
    /the result of fn of map\(\), stage 1 of the pipeline/,
  ],
  'plain values': [(pool) => parallelMap([deep], (x) => (x === undefined ? 0 : 1), { pool }), /parallelMap: value 0/],
  'results of plain values': [(pool) => parallelMap([DEPTH], chain, { pool }), /the result of value 0/],
  'results of a graph': [
    (pool) =>
      taskGraph((g) => g.with({ name: 'deep' }).task(chain, DEPTH))
        .with({ pool })
        .run(),
    /the result of node 'deep'|the result of taskGraph|taskGraph/,
  ],
};

test.each(Object.entries(CALLS))('%s', async (_, [call, called]) => {
  for (const parallelism of [1, 2]) {
    const outcome = await call(poolOf(parallelism)).then(
      (made) => ({ made: Array.isArray(made) ? made[0] : made }),
      (error: unknown) => ({ error: error as Error }),
    );
    if ('error' in outcome) {
      expect(outcome.error.name).toBe('NotShareableError');
      expect(outcome.error.message).toMatch(/^furcate: .*: its objects are nested too deep/);
      expect(outcome.error.message).toMatch(called);
    } else
      expect([1, DEPTH]).toContain(typeof outcome.made === 'number' ? outcome.made : depthOf(outcome.made as Link));
  }
});
