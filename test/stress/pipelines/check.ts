/** What a flow gave, beside what a plain loop gives. */
import { ENDS, type FlowSpec, isMixed, type Outcome } from './flow.js';
import { type Item, plainSource, sourceOf } from './sources.js';
import { type StageSpec, stopsAt } from './stage.js';
import { plainItems } from './stages.js';

const failureOf = (act: () => void): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const END_FAILED = 'the end failed';

/** Goes before the stages where each item comes in a list. */
const UNWRAPPING: StageSpec = { kind: 'gives', size: 1, concurrency: undefined, isLimited: false };
const stagesOf = ({ source, stages }: FlowSpec): readonly StageSpec[] =>
  sourceOf(source).unwraps === true ? [UNWRAPPING, ...stages] : stages;

/** Whether workers may die while the flow runs. */
interface Around {
  readonly mayCrash: boolean;
}

/** @returns what is wrong */
export function problemOf(spec: FlowSpec, outcome: Outcome, around: Around): string | undefined {
  if (spec.end !== undefined) return problemOfEnd(spec, outcome, around);
  return isMixed(spec) ? problemOfMixed(spec, outcome, around) : problemInOrder(spec, outcome, around);
}

/** May a flow have come to this, wherever it was? */
const isCutShort = ({ abortAfter, source }: FlowSpec, { items, failure }: Outcome, { mayCrash }: Around): boolean =>
  (failure === 'crash' && mayCrash) || (failure === 'aborted' && (source.stops || abortAfter === items.length));

/** The source may have been read to its end before the reader has left; the second of several, before the plain loop comes to it. */
function isSameEnd({ source }: FlowSpec, expected: string | undefined, failure: string | undefined): boolean {
  if (expected === failure) return true;
  if (expected === END_FAILED && failure === undefined)
    return source.items < Number.POSITIVE_INFINITY || source.failsAt !== undefined;
  return failure === END_FAILED && source.kind === 'concat';
}

const STOPPED = 'the source has stopped';

/** The items of a source as a plain loop reads them; one that stops fails when it is asked for more. */
function* plainlyRead({ source }: FlowSpec): Generator<Item> {
  yield* plainSource(source);
  if (source.stops) throw new Error(STOPPED);
}

function problemInOrder(spec: FlowSpec, outcome: Outcome, around: Around): string | undefined {
  const { items, failure, hasLeft } = outcome;
  const expected = plainItems(plainlyRead(spec), stagesOf(spec), stopsAt)[Symbol.iterator]();
  for (const [k, item] of items.entries()) {
    let next: IteratorResult<Item> | undefined;
    const failed = failureOf(() => {
      next = expected.next();
    });
    if (next === undefined || next.done === true)
      return `a plain loop ends after ${k} items${failed === undefined ? '' : ` with: ${failed}`}`;
    if (next.value !== item && typeof next.value === 'number') return `item ${k} should be ${next.value}, not ${item}`;
  }
  if (isCutShort(spec, outcome, around)) return undefined;
  if (hasLeft) {
    const end = failureOf(() => void expected.return?.());
    return isSameEnd(spec, end, failure) ? undefined : `a plain loop that leaves ends with: ${end}`;
  }
  let isOver = false;
  const end = failureOf(() => {
    isOver = expected.next().done === true;
  });
  if (end === STOPPED) return 'the source is not over';
  if (!isOver && end === undefined) return 'a plain loop has more items';
  return isSameEnd(spec, end, failure) ? undefined : `a plain loop ends with: ${end}`;
}

/** Items on their way to a function on a worker. */
function* shipped(items: Iterable<Item>): Generator<number> {
  for (const item of items) {
    if (typeof item !== 'number') throw new Error('odd');
    yield item;
  }
}

function problemOfEnd(spec: FlowSpec, { items, failure, hasLeft }: Outcome, around: Around): string | undefined {
  if (isMixed(spec)) return problemOfMixed(spec, { items, failure, hasLeft }, around);
  if (isCutShort(spec, { items, failure, hasLeft }, around)) return undefined;
  let expected: readonly number[] = [];
  const end = failureOf(() => {
    const made = plainItems(plainSource(spec.source), stagesOf(spec), stopsAt);
    expected = ENDS[spec.end as keyof typeof ENDS].plainly(
      spec.end === 'toArray' ? (made as Iterable<number>) : shipped(made),
    );
  });
  if (!isSameEnd(spec, end, failure)) return `a plain loop ends with: ${end}`;
  return end === undefined && failure === undefined && `${items}` !== `${expected}`
    ? `a plain loop gives ${expected.slice(0, 40)}`
    : undefined;
}

/** All that its items may become, and fail with. */
function possible(spec: FlowSpec): { readonly items: Map<unknown, number>; readonly failures: Set<string> } {
  const failures = new Set<string>();
  const items = new Map<unknown, number>();
  const given: Item[] = [];
  const end = failureOf(() => {
    for (const item of plainSource(spec.source)) given.push(item);
  });
  if (end !== undefined) failures.add(end);
  for (const item of plainItems(given, stagesOf(spec), (message) => void failures.add(message)))
    items.set(keyOf(item), (items.get(keyOf(item)) ?? 0) + 1);
  return { items, failures };
}

const keyOf = (item: Item): unknown => (typeof item === 'number' ? item : 'odd');

function problemOfMixed(spec: FlowSpec, outcome: Outcome, around: Around): string | undefined {
  const { items, failures } = possible(spec);
  const given = outcome.items.filter((x) => !((x as number) < 0)); // of endless generators
  for (const item of given) {
    const left = items.get(keyOf(item)) ?? 0;
    if (left === 0) return `item ${item} comes from nowhere, or twice`;
    items.set(keyOf(item), left - 1);
  }
  if (isCutShort(spec, outcome, around)) return undefined;
  const { failure, hasLeft } = outcome;
  if (failure !== undefined && !failures.has(failure) && failure !== END_FAILED) return 'a failure of no item';
  if (failure === END_FAILED && spec.source.end !== 'fails') return 'the source ends well';
  if (hasLeft) return undefined;
  if (failures.size > 0) return failure === undefined ? `it should fail: ${[...failures]}` : undefined;
  const missing = [...items].filter(([, count]) => count > 0).map(([item]) => item);
  return missing.length > 0 ? `these are missing: ${missing.slice(0, 40)}` : undefined;
}
