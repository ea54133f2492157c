/** What a model is made of: threads, words, and what must hold at every access and at the end of every schedule. */
import { KIND_NAMES } from './seam.js';
import type { ThreadBody } from './virtual-thread.js';

/** One access, as monitors see it after it took place. */
export interface Access {
  readonly thread: number;
  readonly kind: number;
  readonly at: number;
  readonly result: number | string;
  /** What the word held before. */
  readonly before: number;
}

export interface Scenario {
  readonly name: string;
  readonly words: number;
  readonly threads: readonly ThreadBody[];
  /** Puts the words into their first state, before any thread begins. */
  setUp(cells: Int32Array): void;
  /** Looks at the end of each schedule; throws for what must not be. */
  check(end: { readonly notes: readonly (readonly string[])[]; readonly words: Int32Array }): void;
  /** Sees every access; throws for one that breaks a rule. */
  monitor?(access: Access, words: Int32Array): void;
  /** Words that only one thread may use at a time, which `monitor` sees to: accesses to them need no choice. */
  isExclusive?(at: number): boolean;
  /** What to call a word in the report of a failure. */
  nameOf?(at: number): string;
  /**
   * Waits of at most so many ms may time out: so often in a schedule, and whenever nobody can go on. None by default, so
   * that no net hides a lost wake-up.
   */
  readonly timeouts?: { readonly upToMs: number; readonly most: number };
}

/** What a scenario found, with the schedule that leads there. */
export class ModelFailure extends Error {
  readonly schedule: readonly string[];

  constructor(scenario: Scenario, reason: string, trace: readonly Access[]) {
    const schedule = linesOf(scenario, trace);
    super(`${scenario.name}: ${reason}\n${schedule.join('\n')}`);
    this.schedule = schedule;
  }
}

/** A line for each access, with the name of its thread where another one goes on. */
function linesOf({ threads, nameOf = (at) => `word ${at}` }: Scenario, trace: readonly Access[]): string[] {
  let last = -1;
  return trace.map(({ thread, kind, at, result }) => {
    const who = thread === last ? ' '.repeat(threads[thread].name.length) : threads[thread].name;
    last = thread;
    const isLong = typeof result === 'number' && Math.abs(result) > 0xffff;
    const value = isLong ? `0x${(result >>> 0).toString(16)}` : result;
    return `  ${who}  ${KIND_NAMES[kind]} ${at < 0 ? '' : nameOf(at)} -> ${value}`;
  });
}

export const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
