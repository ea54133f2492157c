/**
 * The order of items whose strings a collator compares: each thread sorts a part of the items, and the calling thread merges the parts, some
 * milliseconds at a time.
 *
 * A collator gives no keys that could be sorted as numbers. So the strings travel, once, and with n items on P threads the caller makes
 * n log2 P of the n log2 n comparisons.
 */
import { builtin, type CallSignal, disown, jobKind, jobState, turn } from '../../core/engine.js';
import { type Checked, check } from '../call/options.js';
import { MERGE_SLICE_MS, SORTED_HERE } from '../tuning.js';
import { Later } from './argsort-steps.js';
import { comparison } from './item-order.js';
import { type CompareIndices, mergedInSteps, sortInSteps } from './sort-in-steps.js';
import type { ItemOrder, Sign, SortKey } from './sort-keys.js';

/** Options that make an equal collator on another thread. */
interface CollatorSpec {
  readonly locale: string;
  readonly options: Intl.CollatorOptions;
}

/** Names of the options that say how strings are compared. */
export const COLLATOR_OPTIONS = ['collator', 'locale'];

const isCollator = (value: unknown): value is Intl.Collator =>
  Object.prototype.toString.call(value) === '[object Intl.Collator]';

/** The collator that options ask for, if they do. @throws TypeError, RangeError naming the option */
export function readCollator(name: string, given: Readonly<Record<string, unknown>>): Intl.Collator | undefined {
  const { collator, locale } = given;
  if (collator !== undefined) {
    check(isCollator(collator), name, 'options.collator', 'an Intl.Collator', collator);
    check(locale === undefined, name, 'options.locale', 'left out beside options.collator', locale);
    return collator;
  }
  if (locale === undefined) return undefined;
  const isLocale =
    typeof locale === 'string' || (Array.isArray(locale) && locale.every((one) => typeof one === 'string'));
  check(isLocale, name, 'options.locale', "a language tag, such as 'de', or an array of them", locale);
  try {
    return new Intl.Collator(locale as string | string[]);
  } catch (cause) {
    throw new RangeError(`furcate: ${name}: options.locale is no language tag: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

function specOf(collator: Intl.Collator): CollatorSpec {
  const { locale, ...options } = collator.resolvedOptions();
  return { locale, options: options as Intl.CollatorOptions };
}

type Columns = readonly (readonly SortKey[])[];

/** Each thread makes the collator once. */
const COLLATION = jobKind(
  'collation',
  ({ locale, options }: CollatorSpec): Intl.Collator => new Intl.Collator(locale, options),
);

/** The indices that sort the items of a part. */
const orderOfPart = builtin(
  'orderOfPart',
  (job: number, columns: Columns, signs: readonly Sign[]): Uint32Array =>
    sortedHere(
      columns.map((keys, at) => ({ keys, sign: signs[at] as Sign })),
      jobState<Intl.Collator>(job),
    ),
);

function sortedHere(columns: ItemOrder['columns'], collator: Intl.Collator): Uint32Array {
  const compare = comparison({ columns, ties: undefined }, collator);
  return Uint32Array.from((columns[0]?.keys ?? []).map((_, i) => i).sort(compare));
}

/** Orders what is tied, if there is a comparator for that, which only the caller can call. */
function* withTies(
  order: Uint32Array,
  compare: CompareIndices,
  ties: CompareIndices | undefined,
): Generator<undefined, Uint32Array> {
  let lo = 0;
  for (let at = 1; ties !== undefined && at <= order.length; at++) {
    if (at % COMPARED === 0) yield;
    if (at < order.length && compare(order[lo] as number, order[at] as number) === 0) continue;
    if (at - lo > 1) yield* sortInSteps(order.subarray(lo, at), ties);
    lo = at;
  }
  return order;
}

/** About so many strings are compared between two pauses. */
const COMPARED = 64;

function atOnce<R>(steps: Generator<undefined, R>): R {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Asks for the order of items by a collator. */
export function collated({ columns, ties }: ItemOrder, collator: Intl.Collator, options: Checked): Later {
  const compare = comparison({ columns, ties: undefined }, collator);
  const here = (): Uint32Array => atOnce(withTies(sortedHere(columns, collator), compare, ties));
  const length = columns[0]?.keys.length ?? 0;
  const parts = length <= SORTED_HERE ? 1 : options.parallelism;
  return new Later(here, async () => {
    if (length <= SORTED_HERE) return here();
    const { call } = options;
    const { signal } = call;
    return call.during(async () => {
      const job = call.open(COLLATION, specOf(collator));
      try {
        const dependencies = job.dependenciesWith([]);
        const bounds = Array.from({ length: parts + 1 }, (_, part) => Math.floor((part * length) / parts));
        const signs = columns.map(({ sign }) => sign);
        const sent: Promise<Uint32Array>[] = [];
        for (let part = 0; part < parts; part++) {
          const some = columns.map(({ keys }) => keys.slice(bounds[part], bounds[part + 1]));
          const run = call.run(orderOfPart, [job.id, some, signs], { dependencies, signal });
          disown(run); // it may fail before all are sent
          sent.push(run);
          await turn();
        }
        const outcomes = await Promise.allSettled(sent);
        const runs = outcomes.map((outcome, part) => {
          if (outcome.status === 'rejected') throw outcome.reason;
          const from = bounds[part] as number;
          return outcome.value.map((i) => i + from);
        });
        return await inTurns(withTies(await inTurns(mergedInSteps(runs, compare), signal), compare, ties), signal);
      } finally {
        job.close();
      }
    });
  });
}

/** Goes through steps, and gives the event loop a turn every few milliseconds. @throws what cancels the call */
async function inTurns<R>(steps: Generator<undefined, R>, signal: CallSignal): Promise<R> {
  let untilMs = performance.now() + MERGE_SLICE_MS;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() <= untilMs) continue;
    await turn();
    if (signal.aborted) throw signal.reason;
    untilMs = performance.now() + MERGE_SLICE_MS;
  }
}
