/** Random flows: a source, stages, and a reader, who stops, is slow, leaves, aborts, or keeps the pool busy meanwhile. */
import fc from 'fast-check';
import type { Pipeline } from 'furcate/flows';
import { anySource, type Item, type SourceSpec, sourceOf } from './sources.js';
import type { StageSpec } from './stage.js';
import { anyStages, neededBy, stageOf } from './stages.js';

/** What a program does with a pipeline, and with the items of a plain loop. */
interface End {
  run(made: Pipeline<number>): Promise<number[]>;
  plainly(items: Iterable<number>): number[];
}

function firstOf(items: Iterable<number>, isIt: (x: number) => boolean): number[] {
  for (const x of items) if (isIt(x)) return [x];
  return [];
}

const listOf = (found: number | undefined): number[] => (found === undefined ? [] : [found]);

export const ENDS = {
  toArray: { run: (made) => made.toArray(), plainly: (items) => [...items] },
  reduce: {
    run: async (made) => [await made.reduce((sum, x) => (3 * sum + x) % 100_003, 0)],
    plainly: (items) => [[...items].reduce((sum, x) => (3 * sum + x) % 100_003, 0)],
  },
  forEach: {
    run: async (made) => {
      await made.forEach(() => {});
      return [];
    },
    plainly: (items) => [...items].slice(0, 0),
  },
  find: {
    run: async (made) => listOf(await made.find((x) => x % 7 === 3)),
    plainly: (items) => firstOf(items, (x) => x % 7 === 3),
  },
  some: {
    run: async (made) => ((await made.some((x) => x % 31 === 7)) ? [1] : []),
    plainly: (items) => firstOf(items, (x) => x % 31 === 7).map(() => 1),
  },
  every: {
    run: async (made) => ((await made.every((x) => x % 31 !== 9)) ? [] : [1]),
    plainly: (items) => firstOf(items, (x) => x % 31 === 9).map(() => 1),
  },
} as const satisfies Record<string, End>;

export interface FlowSpec {
  readonly source: SourceSpec;
  readonly stages: readonly StageSpec[];
  readonly ordered: boolean;
  /** Undefined for a number that grows while items are cheap. */
  readonly inFlight: number | undefined;
  /** What the program does with all items; undefined for a loop. */
  readonly end: keyof typeof ENDS | undefined;
  /** After how many items the reader leaves; undefined for never. */
  readonly breakAfter: number | undefined;
  /** After how many items it aborts the run; undefined for never. */
  readonly abortAfter: number | undefined;
  /** After how many items the reader runs a task that blocks, waits for a moment, and until other readers have come to their ends; 0 for never. */
  readonly blocksAfter: number;
  readonly pausesAfter: number;
  readonly stopsAfter: number;
  /** Whether all workers are busy with tasks of others when the reader leaves. */
  readonly leavesBusy: boolean;
}

/** Whether its items come in any order. */
export const isMixed = ({ ordered, source, stages }: Pick<FlowSpec, 'ordered' | 'source' | 'stages'>): boolean =>
  !ordered || sourceOf(source).isMixed === true || stages.some((spec) => stageOf(spec).isMixed === true);

/** Whether only its reader ends it. */
const neverEnds = ({ source, stages }: FlowSpec): boolean =>
  source.items === Number.POSITIVE_INFINITY || stages.some(({ kind }) => kind === 'endless');

const nothing: SourceSpec = {
  kind: 'array',
  items: 0,
  failsAt: undefined,
  oddAt: undefined,
  done: true,
  end: 'fine',
  isSlow: false,
  stops: false,
};

/** A flow that ends, and whose outcome is known. */
function sensible(spec: FlowSpec): FlowSpec {
  const { stages, ordered } = spec;
  const items = isMixed(spec) ? Math.min(spec.source.items, 60) : spec.source.items;
  let source: SourceSpec = { ...spec.source, items };
  let inFlight = spec.inFlight === undefined ? undefined : neededBy(stages) + spec.inFlight;
  // Breadth first is what comes from the source at once.
  if (stages[0]?.kind === 'visits') {
    source = { ...nothing, items: Math.min(items, 20) };
    inFlight = neededBy(stages) + source.items + (spec.inFlight ?? 0);
  }
  // A call that waits ends only when its thread is free again: those that keep it busy must not wait for the reader, who waits for the call.
  const leavesBusy = spec.leavesBusy && !stages.some((stage) => stageOf(stage).waits === true);
  const made = { ...spec, source, stages, ordered, inFlight, leavesBusy };
  // The end of a pipeline may run in one task with its last stage, and then gets what could not leave that.
  const isRead = made.end === 'toArray' || !(isMixed(made) || stages.at(-1)?.kind === 'odd');
  if (!neverEnds(made)) return isRead ? made : { ...made, end: undefined };
  return { ...made, end: undefined, breakAfter: made.breakAfter ?? (made.abortAfter === undefined ? 20 : undefined) };
}

const rarely = (most: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: most }) });

const sometimes = (most: number): fc.Arbitrary<number | undefined> =>
  rarely(most).map((k) => (k === 0 ? undefined : k));

export const anyFlow: fc.Arbitrary<FlowSpec> = fc
  .tuple(anySource, fc.boolean(), fc.nat(3))
  .chain(([source, ordered, takes]) =>
    fc.record({
      source: fc.constant(source),
      ordered: fc.constant(ordered),
      stages: anyStages(!ordered || sourceOf(source).isMixed === true).map((stages) =>
        takes === 0 && stages[stages.length - 1]?.kind === 'endless' && !isMixed({ source, ordered, stages })
          ? [...stages, { kind: 'take' as const, size: 4, concurrency: undefined, isLimited: false }]
          : stages,
      ),
      inFlight: fc.option(fc.nat(12), { nil: undefined, freq: 2 }),
      end: fc.option(fc.constantFrom(...(Object.keys(ENDS) as (keyof typeof ENDS)[])), { nil: undefined, freq: 2 }),
      breakAfter: sometimes(50),
      abortAfter: sometimes(40),
      blocksAfter: rarely(5),
      pausesAfter: rarely(20),
      stopsAfter: rarely(10),
      leavesBusy: fc.nat(3).map((k) => k === 0),
    }),
  )
  .map(sensible);

export type Outcome = {
  readonly items: readonly Item[];
  /** What it failed with, in a word or by its message. */
  readonly failure: string | undefined;
  /** Whether the reader has left. */
  readonly hasLeft: boolean;
};
