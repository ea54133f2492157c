/** What a stage of a random pipeline is, and what several of them need. */
import type { Limit, Pipeline } from 'furcate/flows';
import type { Scenario } from '../../helpers/executors.js';
import { type Item, Planned } from './sources.js';
import type { StageName } from './stages.js';

export interface StageSpec {
  readonly kind: StageName;
  readonly size: number;
  readonly concurrency: number | undefined;
  readonly isLimited: boolean;
}

/** What stages take from their run. */
export interface Around {
  readonly limit: Limit;
  /** Tells the contexts of one run from those of others. */
  readonly run: number;
  /** Word 0 is set by a generator of a stage that says something. */
  readonly words: Int32Array;
  readonly tasks: Readonly<Record<'gives' | 'usesOwn', Scenario>>;
}

/** What a plain loop does about a failure: it throws, or goes on without the item. */
export type OnFailure = (message: string) => void;

export type Made = Pipeline<number>;

export interface Stage {
  add(made: Made, spec: StageSpec & { readonly options: object }, around: Around): Made;
  plainly(items: Iterable<Item>, spec: StageSpec, fail: OnFailure): Iterable<Item>;
  /** Whether what it makes depends on the order of its items. */
  readonly isOrderly?: true;
  /** Whether its items come in any order. */
  readonly isMixed?: true;
  /** Whether it makes many items of one. */
  readonly isMany?: true;
  /** Whether it must be the first stage, or the last one. */
  readonly isFirst?: true;
  readonly isLast?: true;
  /** Whether its generators never end. */
  readonly isEndless?: true;
  /** Whether its calls wait: their ends need the event loop of their thread, which others may keep from turning. */
  readonly waits?: true;
  /** Whether it ends the threads of the pool. */
  readonly dies?: true;
}

/** Items stay small, so that numbers stay exact. */
export const MOST = 100_003;
/** Those that fail where a stage may: some, and not the first ones. */
export const isBad = (x: number): boolean => x % 23 === 22;
/** A generator behind which something fails gives so many items before. */
export const LATE = -90;

export type Keeping = { kept?: Float64Array; gate?: Promise<unknown> | undefined; tables?: Map<number, object> };

/** A stage of its own on another thread, or joined with the one before. */
export const first = (made: Pipeline<Float64Array>, { concurrency }: StageSpec): Made =>
  made.map((view) => view[0] as number, concurrency === undefined ? {} : { concurrency });

export function* each(items: Iterable<Item>, act: (x: number) => Iterable<number>, fail: OnFailure): Iterable<Item> {
  for (const x of items) {
    if (typeof x === 'number') yield* act(x);
    else fail('odd'); // it cannot travel
  }
}

export const mapped =
  (act: (x: number) => number): Stage['plainly'] =>
  (items, _, fail) =>
    each(items, (x) => [act(x)], fail);

export const failing =
  (message: (x: number) => string): Stage['plainly'] =>
  (items, _, fail) =>
    each(
      items,
      function* (x) {
        if (isBad(x)) fail(message(x));
        else yield x;
      },
      fail,
    );

export const manyOf = (x: number, size: number): number[] =>
  Array.from({ length: 15 * size }, (_, k) => (100 * x + k) % MOST);

export const many: Stage['plainly'] = (items, { size }, fail) => each(items, (x) => manyOf(x, size), fail);

export function* groups(items: Iterable<Item>, size: number, step: number, keepsRest: boolean, fail: OnFailure) {
  let members: Item[] = [];
  let toSkip = 0;
  const whole = (list: readonly Item[]): number[] => {
    const sound = list.filter((x) => typeof x === 'number');
    if (sound.length < list.length) fail('odd');
    return sound;
  };
  for (const item of items) {
    if (toSkip-- > 0) continue;
    members.push(item);
    if (members.length < size) continue;
    yield whole(members);
    toSkip = Math.max(0, step - size);
    members = members.slice(step);
  }
  if (keepsRest && members.length > 0) yield whole(members);
}

/** What a plain loop in order does about a failure. */
export const stopsAt: OnFailure = (message) => {
  throw new Planned(message);
};
