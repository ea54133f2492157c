/** What `profile` reports: the numbers, as an object, a table or a picture; on the thread that called it. */
import { show } from '../../core/errors.js';
import type { MeasuredSpeedUp, ProfileNumbers, RegionProfile, SpanStep, TaskProfile } from './numbers.js';
import { plotOf } from './plot.js';
import { tableOf } from './table.js';
import type { ProfileAccount } from './totals.js';

const ratio = (work: number, span: number): number => (span === 0 ? 1 : work / span);

const moduleOf = (module: string): string | undefined => (module === '' ? undefined : module);

/** The account whose value is the least. */
const leastBy = (accounts: readonly ProfileAccount[], value: (account: ProfileAccount) => number): ProfileAccount =>
  accounts.reduce((least, account) => (value(account) < value(least) ? account : least));

/** What `profile` has counted. All costs are in `unit`. */
export class Profile<R = unknown> implements ProfileNumbers {
  /** Microseconds, or what `charge` was given. */
  readonly unit: 'us' | 'units';
  /** What `fn` returned at its last call. */
  readonly result: R;
  /** T1: the cost of everything together; of several runs the least. */
  readonly work: number;
  /** T-infinity: the cost of the costliest chain of what depends on each other; of several runs the least. */
  readonly span: number;
  /** Work / span: with more threads than that, a program gets no faster. */
  readonly parallelism: number;
  /** Tasks that have run, without those of the library. */
  readonly tasks: number;
  /** Forks, with those of the library. */
  readonly forks: number;
  /** How many tasks ran apart from their forker: thieves took them, or a join that waited ran them. Unlike the rest, this depends on the schedule. */
  readonly apart: number;
  /** The costliest first. */
  readonly byTask: readonly TaskProfile[];
  /** The costliest chain, in order. Chains of more than 1,000 parts are summed up by task. */
  readonly path: readonly SpanStep[];
  /** In the order of their names. */
  readonly regions: readonly RegionProfile[];

  /** @internal */
  constructor(unit: 'us' | 'units', accounts: readonly ProfileAccount[], result: R) {
    const account = leastBy(accounts, ({ work }) => work);
    const { span, way } = leastBy(accounts, ({ span }) => span);
    this.unit = unit;
    this.result = result;
    this.work = account.work;
    this.span = span;
    this.parallelism = ratio(account.work, span);
    this.tasks = account.tasks;
    this.forks = account.forks;
    this.apart = account.apart;
    this.path = way.map(([name, module, cost]) => ({ name, module: moduleOf(module), cost }));
    this.byTask = account.rows
      .filter(([, , tasks, work]) => tasks > 0 || work > 0)
      .map(([name, module, tasks, work]) => {
        const onSpan = way.reduce((sum, [other, of, cost]) => (other === name && of === module ? sum + cost : sum), 0);
        return { name, module: moduleOf(module), tasks, work, onSpan };
      })
      .sort((a, b) => b.work - a.work || (a.name < b.name ? -1 : 1));
    this.regions = account.regions
      .map(([name, { calls, work, span }]) => ({ name, calls, work, span, parallelism: ratio(work, span) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Between which bounds the speed-up over one thread lies, for a scheduler that leaves no thread idle while there is a task, and that costs nothing.
   *
   * `atMost` is the least of the number of threads and the parallelism: no schedule is faster. `atLeast` follows from the time
   * work / threads + span, which such a scheduler takes at most (Brent 1974, Blumofe and Leiserson 1999).
   *
   * @param threads an integer from 1 up
   * @throws RangeError for another number
   */
  speedUp(threads: number): { readonly atLeast: number; readonly atMost: number } {
    if (!Number.isSafeInteger(threads) || threads < 1)
      throw new RangeError(`furcate: speedUp(threads) takes an integer from 1 up; it was given ${show(threads)}.`);
    if (this.work === 0) return { atLeast: 1, atMost: 1 };
    const atMost = Math.min(threads, this.parallelism);
    return { atLeast: Math.min(atMost, Math.max(1, this.work / (this.work / threads + this.span))), atMost };
  }

  /** A table of one screen. */
  toString(): string {
    return tableOf(this);
  }

  /** All numbers, for `JSON.stringify`; without `result`. */
  toJSON(): object {
    const { result: _, ...numbers } = this;
    return { ...numbers };
  }

  /**
   * A plot of the speed-up for 1 to 64 threads, between its bounds.
   *
   * @param measured points that are drawn in it
   * @returns the text of an SVG image, which follows the reader's choice of light or dark
   */
  toSvg(measured: readonly MeasuredSpeedUp[] = []): string {
    return plotOf(this, measured);
  }
}
