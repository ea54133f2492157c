/**
 * Random pipelines beside plain loops, several at once in pools whose workers retire, are replaced, die, block, and have few spares or none; with calls of
 * plain values and task graphs between them.
 */
import fc from 'fast-check';
import { ForkJoinPool, parallelMap, sharedArray, WorkerCrashError } from 'furcate';
import { limit, type Pipeline, pipeline, taskGraph } from 'furcate/flows';
import { turn } from '../../helpers/event-loop.js';
import { fixture, type Scenario } from '../../helpers/executors.js';
import { settledInTime } from '../../helpers/hangs.js';
import { expectUndisturbed } from '../../helpers/process-watch.js';
import { tell } from '../../helpers/words.js';
import { parametersOf, type RunOptions } from '../run-options.js';
import { problemOf } from './check.js';
import { anyFlow, ENDS, type FlowSpec, type Outcome } from './flow.js';
import { type Item, misread, Planned, sourceOf, watchOf } from './sources.js';
import type { Around } from './stage.js';
import { addStage, stageOf } from './stages.js';

/** For how long a flow reads a source that has stopped (milliseconds). */
const STOPPED_MS = 20;
/** The grace of a flow whose source does not end when it is closed (milliseconds). */
const GRACE_MS = 20;
/** How many turns a reader waits that is slow once. */
const SLOW_TURNS = 30;

interface Tasks {
  readonly sections: Readonly<Record<'gives' | 'blocks' | 'dies' | 'spins', Scenario>>;
  readonly usesOwn: Scenario;
}

/** What several flows of one pool share. */
interface Company {
  readonly pool: ForkJoinPool;
  readonly tasks: Tasks;
  readonly around: Omit<Around, 'run' | 'words'>;
  readonly mayCrash: boolean;
  readonly maxSpares: number;
  /** Settles when those have come to their ends whose readers do not wait for others. */
  readonly others: Promise<unknown>;
}

let runs = 0;

/** What errors may not mention: tasks of the library's own. */
const INTERNAL = /pipeline(?:Calls|Flat|Rest)|graph(?:Root|Lane|Part|Node|Call|Outcome)|values(?:Async)? task/;

function nameOf(error: unknown): string {
  const { name, message } = error as Error;
  if (INTERNAL.test(message)) return `an error that names a task of the library: ${message}`;
  if (error instanceof WorkerCrashError)
    return /stage \d+ of the pipeline|call of the pool/.test(`${message} ${error.running}`) ||
      error.running === undefined
      ? 'crash'
      : `a crash that names no stage: ${message} (${error.running})`;
  if (error instanceof Planned || error instanceof RangeError) return message;
  if (name === 'NotShareableError') return 'odd';
  return name === 'AbortError' ? 'aborted' : `${name}: ${message}`;
}

/** Runs a flow to its end. */
async function play(spec: FlowSpec, company: Company): Promise<void> {
  const { pool, around, mayCrash } = company;
  const watch = watchOf();
  const controller = new AbortController();
  const words = sharedArray(Int32Array, 8);
  const { source, stages, ordered, inFlight } = spec;
  let made = pipeline(sourceOf(source).make(source, watch) as Iterable<number>, {
    pool,
    ordered,
    ...(inFlight !== undefined && { inFlight }),
    signal: controller.signal,
    ...(source.end === 'never' && { graceMs: GRACE_MS }),
  });
  if (sourceOf(source).unwraps) made = (made as Pipeline<unknown> as Pipeline<number[]>).map(([x]) => x as number);
  for (const stage of stages) made = addStage(made, stage, { ...around, run: runs++, words });
  const timer = source.stops ? setTimeout(() => controller.abort(), STOPPED_MS) : undefined;
  const outcome = await read(made, spec, { ...company, controller, words });
  clearTimeout(timer);
  tell(words, 0);
  const problem = problemOf(spec, outcome, { mayCrash }) ?? misread(source, watch, outcome.failure !== undefined);
  if (problem === undefined) return;
  const { items, failure, hasLeft } = outcome;
  throw new Error(
    `${problem}; given: ${items.slice(0, 40)}; ${items.length} items; failure: ${failure}${hasLeft ? '; the reader has left' : ''}\n${JSON.stringify(spec)}`,
  );
}

interface Reading extends Company {
  readonly controller: AbortController;
  readonly words: Int32Array;
}

async function read(made: Pipeline<number>, spec: FlowSpec, reading: Reading): Promise<Outcome> {
  const items: Item[] = [];
  let hasLeft = false;
  const waits: Promise<unknown>[] = [];
  let failure: string | undefined;
  try {
    if (spec.end !== undefined) items.push(...(await ENDS[spec.end].run(made)));
    else
      for await (const x of made) {
        items.push(x);
        if (items.length === 1) section(spec, reading, waits);
        hasLeft = items.length === spec.breakAfter;
        await react(spec, items.length, reading, waits);
        if (hasLeft) break;
      }
  } catch (error) {
    failure = nameOf(error);
  }
  tell(reading.words, 0); // those that wait for the flow go on
  tell(reading.words, 2);
  for (const one of await Promise.allSettled(waits)) {
    if (one.status === 'rejected' && !(one.reason instanceof WorkerCrashError)) throw one.reason;
  }
  return { items, failure, hasLeft };
}

/** Somebody hears later how it has ended: its worker may die before. */
function heard(promise: Promise<unknown>): Promise<unknown> {
  promise.catch(() => {});
  return promise;
}

/** A task blocks until a generator of the flow has come to some item, where a spare can compute meanwhile. */
function section({ stages }: FlowSpec, { pool, tasks, words, maxSpares }: Reading, waits: Promise<unknown>[]): void {
  if (stages[0]?.kind === 'says' && maxSpares > 1) waits.push(heard(pool.invoke(tasks.sections.blocks, words, 0, 1)));
}

/** What the reader does when it has so many items. */
async function react(spec: FlowSpec, count: number, reading: Reading, waits: Promise<unknown>[]): Promise<void> {
  const { pool, tasks, controller, words, others } = reading;
  if (count === spec.blocksAfter) await crashing(pool.invoke(tasks.sections.gives, 1));
  if (count === spec.pausesAfter) for (let turns = 0; turns < SLOW_TURNS; turns++) await turn();
  if (count === spec.stopsAfter) await others;
  if (count === spec.breakAfter && spec.leavesBusy) {
    for (let k = 0; k < pool.parallelism; k++) waits.push(heard(pool.invoke(tasks.sections.spins, words, 2)));
    await turn();
  }
  if (count === spec.abortAfter) controller.abort();
}

/** What a task gives, unless its worker dies. */
const crashing = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => {
    if (!(error instanceof WorkerCrashError)) throw error;
  });

/** Other work of the same pool: a call of plain values, and a graph. */
async function accompany(pool: ForkJoinPool, mayCrash: boolean): Promise<void> {
  const numbers = Array.from({ length: 50 }, (_, x) => x);
  const fill = (x: number): Float64Array => {
    const realm = globalThis as { kept?: Float64Array };
    realm.kept ??= new Float64Array(1);
    realm.kept[0] = x;
    return realm.kept;
  };
  const graph = taskGraph((g) =>
    g.task((all: readonly Float64Array[]) => all.map(([x]) => x), g.all([1, 2, 3].map((x) => g.task(fill, x)))),
  );
  try {
    const [values, nodes] = await Promise.all([parallelMap(numbers, fill, { pool }), graph.with({ pool }).run()]);
    if (`${values.map(([x]) => x)}` !== `${numbers}`) throw new Error(`parallelMap() gave ${values.map(([x]) => x)}`);
    if (`${nodes}` !== '1,2,3') throw new Error(`a graph gave ${nodes}`);
  } catch (error) {
    if (!mayCrash || !(error instanceof WorkerCrashError)) throw error;
  }
}

/** Runs random pipelines. */
export async function runPipelines(options: RunOptions): Promise<void> {
  const { gives, blocks, dies, spins } = await fixture<Tasks['sections']>('blocking.mjs');
  const { usesOwn } = await fixture<{ usesOwn: Scenario }>('pipelines.mjs');
  const tasks: Tasks = { sections: { gives, blocks, dies, spins }, usesOwn };
  const property = fc.asyncProperty(
    fc.array(anyFlow, { minLength: 1, maxLength: 3 }),
    fc.record({
      parallelism: fc.integer({ min: 1, max: 2 }),
      maxSpares: fc.constantFrom(0, 1, 8),
      keepAliveMs: fc.constantFrom(0, 5, 60_000),
      checked: fc.boolean(),
    }),
    fc.record({ crashes: fc.nat(5).map((k) => k === 0), isAccompanied: fc.nat(3).map((k) => k === 0) }),
    async (specs, settings, { crashes, isAccompanied }) => {
      const pool = new ForkJoinPool({ ...settings, stallMs: 0 }); // on a busy machine a task may get no time for seconds
      const one = limit(2);
      const mayCrash = crashes || specs.some(({ stages }) => stages.some((stage) => stageOf(stage).dies === true));
      try {
        const around = { limit: one, tasks: { gives, usesOwn } };
        const company = { pool, tasks, around, mayCrash, maxSpares: settings.maxSpares };
        const [waiting, others] = [true, false].map((waits) =>
          specs.filter(({ stopsAfter }) => stopsAfter > 0 === waits),
        );
        const first = (others as FlowSpec[]).map((spec) => play(spec, { ...company, others: Promise.resolve() }));
        const over = Promise.allSettled(first);
        const all = [...first, ...(waiting as FlowSpec[]).map((spec) => play(spec, { ...company, others: over }))];
        if (isAccompanied) all.push(accompany(pool, mayCrash));
        if (crashes) {
          for (let turns = 0; turns < SLOW_TURNS; turns++) await turn();
          all.push(crashing(pool.invoke(dies)) as Promise<void>);
        }
        const settled = await settledInTime('a pipeline', Promise.allSettled(all));
        for (const each of settled) if (each.status === 'rejected') throw each.reason;
        if (one.inUse + one.waiting > 0) throw new Error(`permits are left: ${one.inUse}, ${one.waiting}`);
        await settledInTime('pool.close()', pool.close());
        if (!mayCrash) await expectUndisturbed('pipelines');
      } finally {
        await settledInTime('pool.terminate()', pool.terminate());
      }
    },
  );
  await fc.assert(property, parametersOf(options));
}
