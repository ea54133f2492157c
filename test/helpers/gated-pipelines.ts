/**
 * Pipelines whose every step a schedule decides: when a call ends, when the source gives an item, and when the reader takes one.
 *
 * All of it runs on this thread. After each step the pipeline does all that it can do by itself; if it then has not ended, and waits for nothing
 * that the schedule could do, it hangs. What a pipeline should give, a plain sequential model says.
 */
import { asyncForkable, SequentialExecutor } from '../../src/core/index.js';
import '../../src/extensions/async/index.js';
import '../../src/extensions/reports/index.js';
import { registerHost } from '../../src/core/platform/host.js';
import { detectNode } from '../../src/core/platform/node.js';
import { type Feed, type Pipeline, pipeline } from '../../src/flows/pipeline/index.js';

registerHost(detectNode);

/** A stage of numbers; `fails` says for which of them it throws. */
export type StageSpec = { readonly concurrency: number | undefined } & (
  | { readonly kind: 'map' | 'filter' | 'flatMap' | 'endless'; readonly fails: number | undefined }
  | { readonly kind: 'expand'; readonly fails: number | undefined; readonly isUnique: boolean }
  | { readonly kind: 'scan'; readonly fails: number | undefined }
  | { readonly kind: 'batch'; readonly size: number }
  | { readonly kind: 'take'; readonly size: number }
  | { readonly kind: 'drop'; readonly size: number }
);

export interface PipelineSpec {
  readonly items: number;
  readonly inFlight: number;
  readonly ordered: boolean;
  readonly stages: readonly StageSpec[];
  /** After how many results the reader leaves the loop. */
  readonly breakAfter: number | undefined;
  /** Which item the source throws in the place of. */
  readonly sourceFails: number | undefined;
  /** Decides each step. */
  readonly schedule: readonly number[];
}

const numbers = (value: unknown): number =>
  Array.isArray(value) ? value.flat(9).reduce((a, b) => a + b, 0) : (value as number);

/** What stages do with a value; a batch counts as the sum of its members. */
const WORK = {
  map: (x: number) => [3 * x + 1],
  filter: (x: number) => (x % 3 === 0 ? [] : [x]),
  flatMap: (x: number) => Array.from({ length: x % 4 }, (_, i) => x + i),
  /** What an endless generator makes: so much of it that something ends the run before, as `anyEndless` says. */
  endless: (x: number) => Array.from({ length: 60 }, (_, i) => x + i),
  scan: (x: number, state: number) => [state + x],
};

/** What the visit of a number adds: lesser ones, some of them twice. */
export const addedBy = (x: number): number[] => (x > 4 && x % 2 === 0 ? [x / 2, x / 2 - 1, x / 2] : []);

/** What an `expand` visits for a number. */
function visitsFor(x: number, seen: Set<number> | undefined): number[] {
  if (seen?.has(x)) return [];
  seen?.add(x);
  return [x, ...addedBy(x).flatMap((added) => visitsFor(added, seen))];
}

/** How a value fails in a stage. */
const failureAt = (stage: number, x: number): string => `stage ${stage} failed at ${x}`;

const failsAt = (fails: number | undefined, x: number): boolean => fails !== undefined && x % 11 === fails;

/** What a pipeline should give, item by item of its source. */
export interface Modelled {
  /** The results, with the source's items that are in each. */
  readonly results: readonly { readonly value: unknown; readonly from: readonly number[] }[];
  readonly failure: string | undefined;
}

interface Piece {
  readonly value: unknown;
  readonly from: readonly number[];
}

/** Thrown where a stage has enough: nothing that is before it goes on. */
class Enough {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

export function modelOf({ items, stages, sourceFails }: PipelineSpec): Modelled {
  const results: Piece[] = [];
  const states = stages.map(() => 0);
  const open: Piece[][] = stages.map(() => []);
  const counts = stages.map(() => 0);
  const seen = stages.map((stage) => (stage.kind === 'expand' && stage.isUnique ? new Set<number>() : undefined));
  const pass = (piece: Piece, at: number): void => {
    const stage = stages[at];
    if (stage === undefined) return void results.push(piece);
    if (stage.kind === 'batch') {
      const members = open[at] as Piece[];
      members.push(piece);
      if (members.length === stage.size) flush(at);
      return;
    }
    if (stage.kind === 'take' || stage.kind === 'drop') {
      const count = ++(counts as [number])[at as 0];
      if (stage.kind === 'take' || count > stage.size) pass(piece, at + 1);
      if (stage.kind === 'take' && count === stage.size) throw new Enough(at);
      return;
    }
    const x = numbers(piece.value);
    if (stage.kind === 'expand') {
      for (const value of visitsFor(x, seen[at])) {
        if (failsAt(stage.fails, value)) throw new Error(failureAt(at, value));
        pass({ value, from: piece.from }, at + 1);
      }
      return;
    }
    if (failsAt(stage.fails, x)) throw new Error(failureAt(at, x));
    const made = WORK[stage.kind](x, states[at] as number);
    if (stage.kind === 'scan') states[at] = made[0] as number;
    for (const value of stage.kind === 'filter' && made.length > 0 ? [piece.value] : made)
      pass({ value, from: piece.from }, at + 1);
  };
  const flush = (at: number): void => {
    const members = open[at] as Piece[];
    open[at] = [];
    if (members.length === 0) return;
    pass({ value: members.map(({ value }) => value), from: members.flatMap(({ from }) => from) }, at + 1);
  };
  /** The first stage that goes on. */
  let first = 0;
  const untilEnough = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
      first = error.at + 1;
    }
  };
  try {
    untilEnough(() => {
      for (let i = 0; i < items; i++) {
        if (i === sourceFails) throw new Error('the source failed');
        pass({ value: i, from: [i] }, 0);
      }
    });
    for (const at of stages.keys()) if (at >= first) untilEnough(() => flush(at));
  } catch (error) {
    return { results, failure: (error as Error).message };
  }
  return { results, failure: undefined };
}

/** All failures that an item of the source may end with, where it becomes several that fail; without batches and states. */
export function failuresOf({ stages, sourceFails }: PipelineSpec, item: number): string[] {
  if (item === sourceFails) return ['the source failed'];
  const failures: string[] = [];
  let values = [item];
  for (const [at, stage] of stages.entries()) {
    if (stage.kind === 'batch' || stage.kind === 'take' || stage.kind === 'drop') continue;
    if (stage.kind === 'expand') values = values.flatMap((x) => visitsFor(x, undefined));
    failures.push(...values.filter((x) => failsAt(stage.fails, x)).map((x) => failureAt(at, x)));
    const { kind } = stage;
    if (kind === 'expand') {
      values = values.filter((x) => !failsAt(stage.fails, x));
      continue;
    }
    values = values
      .filter((x) => !failsAt(stage.fails, x))
      .flatMap((x) => (kind === 'filter' ? (WORK.filter(x).length > 0 ? [x] : []) : WORK[kind](x, 0)));
  }
  return failures;
}

/** What has happened in a run. */
export interface Observed {
  readonly results: unknown[];
  failure: string | undefined;
  /** How many results had been taken when each item was read. */
  readonly takenAtRead: number[];
  /** Whether all earlier items whose places are needed had ended their call of the first stage when each item was read. */
  readonly wereFirstCallsOver: boolean[];
  /** The most calls of each stage that were in progress at once. */
  readonly most: number[];
  /** The most calls of the first stage that had begun for results that the reader had not taken yet. */
  mostUntaken: number;
  /** How many calls were in progress when the run ended. */
  runningAtEnd: number;
  /** How many calls have begun after the reader had left, or the run had ended. */
  lateCalls: number;
  sourceClosed: boolean;
}

interface Step {
  readonly what: string;
  readonly act: () => void;
}

/** The run that is going on: functions of stages are forkables, which find it here. */
let current: { begin(stage: number, x: number): Promise<void>; step(what: string): Promise<void> } | undefined;

const call = async (stage: number, x: number, fails: number | undefined): Promise<void> => {
  await current?.begin(stage, x);
  if (failsAt(fails, x)) throw new Error(failureAt(stage, x));
};

interface Context {
  readonly stage: number;
  readonly fails: number | undefined;
}

const map = asyncForkable(import.meta.url, 'map', async (_, value: unknown, { stage, fails }: Context) => {
  const x = numbers(value);
  await call(stage, x, fails);
  return WORK.map(x)[0];
});
const filter = asyncForkable(import.meta.url, 'filter', async (_, value: unknown, { stage, fails }: Context) => {
  const x = numbers(value);
  await call(stage, x, fails);
  return WORK.filter(x).length > 0;
});
const flatMap = asyncForkable(import.meta.url, 'flatMap', async (_, value: unknown, { stage, fails }: Context) => {
  const x = numbers(value);
  await call(stage, x, fails);
  return WORK.flatMap(x);
});
const endless = asyncForkable(import.meta.url, 'endless', async (_, value: unknown, { stage, fails }: Context) => {
  const x = numbers(value);
  await call(stage, x, fails);
  return (async function* () {
    for (let i = 0; ; i++) yield x + i;
  })();
});
const scan = asyncForkable(
  import.meta.url,
  'scan',
  async (_, state: number, value: unknown, { stage, fails }: Context) => {
    const x = numbers(value);
    await call(stage, x, fails);
    return WORK.scan(x, state)[0] as number;
  },
);

const expand = asyncForkable(
  import.meta.url,
  'expand',
  async (_, value: unknown, feed: Feed<unknown>, { stage, fails }: Context) => {
    const x = numbers(value);
    const [first, ...others] = addedBy(x);
    if (first !== undefined) feed.add(first);
    await call(stage, x, fails);
    feed.add(...others);
    await current?.step(`a visit of stage ${stage} has added all`);
    return x;
  },
);

function withStage(made: Pipeline<unknown>, spec: StageSpec, stage: number): Pipeline<unknown> {
  if (spec.kind === 'batch' || spec.kind === 'take' || spec.kind === 'drop') return made[spec.kind](spec.size);
  const context: Context = { stage, fails: spec.fails };
  const options = spec.concurrency === undefined ? { context } : { context, concurrency: spec.concurrency };
  switch (spec.kind) {
    case 'map':
      return made.map(map, options);
    case 'filter':
      return made.filter(filter, options);
    case 'flatMap':
      return made.flatMap(flatMap, options);
    case 'endless':
      return made.flatMap(endless, options);
    case 'expand':
      return made.expand(expand, { ...options, ...(spec.isUnique && { uniqueBy: numbers }) });
    case 'scan':
      return made.scan(scan, 0, { context });
  }
}

/** The most steps of a run that ends. */
const MOST_STEPS = 1_000;

/** A pipeline on this thread gives the event loop a turn when it has computed for some time, so on a busy machine at any place. It hangs if so many turns bring nothing. */
const MOST_TURNS = 2_000;

/** Has the pipeline do all that it can by itself. */
async function settle(): Promise<void> {
  for (let k = 0; k < 4; k++) await new Promise((resolve) => setImmediate(resolve));
}

/** @throws Error for a pipeline that hangs */
export async function observe(spec: PipelineSpec): Promise<Observed> {
  const observed: Observed = {
    results: [],
    failure: undefined,
    takenAtRead: [],
    wereFirstCallsOver: [],
    most: spec.stages.map(() => 0),
    mostUntaken: 0,
    runningAtEnd: 0,
    lateCalls: 0,
    sourceClosed: false,
  };
  const steps: Step[] = [];
  const step = (what: string): Promise<void> => new Promise((act) => steps.push({ what, act }));
  const running = spec.stages.map(() => 0);
  let begunAtFirst = 0;
  const firstCallsOver = new Set<number>();
  let hasEnded = false;
  let hasLeft = false;
  current = {
    step,
    async begin(stage, x) {
      if (hasLeft) observed.lateCalls++;
      running[stage] = (running[stage] as number) + 1;
      observed.most[stage] = Math.max(observed.most[stage] as number, running[stage] as number);
      if (stage === 0) begunAtFirst++;
      await step(`a call of stage ${stage} ends`);
      running[stage] = (running[stage] as number) - 1;
      if (stage === 0) firstCallsOver.add(x);
    },
  };
  async function* source(): AsyncGenerator<number> {
    try {
      for (let i = 0; i < spec.items; i++) {
        await step('the source gives an item');
        observed.takenAtRead.push(observed.results.length);
        const before = Array.from({ length: Math.max(0, i - spec.inFlight + 1) }, (_, item) => item);
        observed.wereFirstCallsOver.push(before.every((item) => firstCallsOver.has(item)));
        if (i === spec.sourceFails) throw new Error('the source failed');
        yield i;
      }
    } finally {
      observed.sourceClosed = true;
    }
  }
  const { inFlight, ordered } = spec;
  let made: Pipeline<unknown> = pipeline(source(), { pool: new SequentialExecutor(), inFlight, ordered });
  for (const [stage, one] of spec.stages.entries()) made = withStage(made, one, stage);
  const read = async (): Promise<void> => {
    try {
      if (spec.breakAfter !== 0) {
        await step('the reader begins');
        for await (const result of made) {
          observed.results.push(result);
          hasLeft = observed.results.length === spec.breakAfter;
          if (hasLeft) break;
          await step('the reader goes on');
        }
      }
    } catch (error) {
      observed.failure = (error as Error).message;
    }
    observed.runningAtEnd = running.reduce((a, b) => a + b, 0);
    hasEnded = true;
    hasLeft = true;
  };
  const ended = read();
  for (let k = 0; !hasEnded; k++) {
    await settle();
    for (let turns = 0; steps.length === 0 && !hasEnded && turns < MOST_TURNS; turns++) await settle();
    if (hasEnded) break;
    observed.mostUntaken = Math.max(observed.mostUntaken, begunAtFirst - observed.results.length);
    const chosen = steps.splice((spec.schedule[k % spec.schedule.length] as number) % Math.max(1, steps.length), 1)[0];
    if (chosen === undefined) throw new Error('the pipeline hangs');
    if (k === MOST_STEPS) throw new Error('the pipeline does not end');
    chosen.act();
  }
  await ended;
  for (const { act } of steps.splice(0)) act();
  await settle();
  return observed;
}
