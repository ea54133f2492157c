/**
 * Runs every schedule of a few virtual threads, depth first over states.
 *
 * A schedule is a choice, at every access that another thread may be affected by, of the thread that goes on. A state is
 * all shared words and what each thread has seen so far; since threads are deterministic, that is all there is. A state
 * that was met before is not explored again. To go on at an earlier choice the words are taken back, and only the
 * thread that goes on runs again from its start. Without a bound the whole space is exhausted; with one, all schedules
 * that take the processor from a thread which could go on at most that often.
 *
 * Which words are contended is learned: an access to a word that no other thread has used in a conflicting way commutes
 * with all that others do, so no choice is needed before it. When one turns out to be contended after all, the
 * exploration starts over, until nothing is learned any more. Most are learned where few preemptions are allowed, which
 * takes little time: so the space is explored with none, one and two of them first.
 */
import type { MakeCopy } from './load-source.js';
import { Machine, type Snapshot } from './machine.js';
import { mix } from './model-words.js';
import type { Scenario } from './scenario.js';

export interface Report {
  /** Complete schedules run, and those that met a known state. */
  readonly runs: number;
  readonly states: number;
  /** Schedules that the states stand for. */
  readonly schedules: number;
}

/** A state from which more than one thread could go on. */
interface Choice {
  readonly key: number;
  readonly options: readonly number[];
  next: number;
  /** Who ran up to here, if that thread could go on: to choose another is a preemption. */
  readonly current: number;
  readonly used: number;
  readonly state: Snapshot;
  /** Schedules from here on. */
  schedules: number;
}

const NOBODY = -1;

/** Bounds that are tried first, from none on. */
const SURVEYS = 3;

export class Explorer {
  readonly #most: number;
  /** Most preemptions in the present exploration. */
  #bound = 0;
  readonly #machine: Machine;
  readonly #choices: Choice[] = [];
  /** Schedules from each known state on. */
  readonly #known = new Map<number, number>();
  /** Preemptions so far. */
  #used = 0;
  #runs = 0;
  /** The run that first learned something in the present exploration; 0 before it. */
  #learnedAt = 0;
  #schedules = 0;
  #pathEnded = false;

  /** @param bound most preemptions; without it, none is too many */
  constructor(scenario: Scenario, makeCopy: MakeCopy, bound = Number.POSITIVE_INFINITY) {
    this.#most = bound;
    this.#machine = new Machine(scenario, makeCopy, (thread) => this.#choose(thread) !== NOBODY);
  }

  /** @throws ModelFailure for the first schedule that breaks the scenario */
  explore(): Report {
    for (let bound = 0; bound < Math.min(this.#most, SURVEYS); bound++) this.#exploreWith(bound);
    this.#exploreWith(this.#most);
    this.#machine.assertUntouched();
    return { runs: this.#runs, states: this.#known.size, schedules: this.#schedules };
  }

  /** Explores with this many preemptions, until nothing is learned of contended words. */
  #exploreWith(bound: number): void {
    const { contention } = this.#machine;
    this.#bound = bound;
    do {
      contention.learned = false;
      this.#choices.length = 0;
      this.#known.clear();
      this.#machine.reset();
      this.#used = 0;
      this.#runs = 0;
      this.#learnedAt = 0;
      this.#schedules = 0;
      this.#exploreOnce();
    } while (contention.learned);
  }

  #exploreOnce(): void {
    const first = this.#choose(NOBODY);
    if (first !== NOBODY) this.#goOn(first);
    for (let choice = this.#choices.at(-1); choice !== undefined; choice = this.#choices.at(-1)) {
      if (this.#machine.contention.learned && this.#hasLearnedEnough()) return;
      if (choice.next === choice.options.length) {
        this.#choices.pop();
        this.#known.set(choice.key, choice.schedules);
        this.#count(choice.schedules);
        continue;
      }
      this.#machine.restore(choice.state);
      const next = choice.options[choice.next++];
      this.#used = choice.used + (choice.current === NOBODY || choice.current === next ? 0 : 1);
      this.#goOn(next);
    }
  }

  /** Whether it is time to start over: in a whole space at once, with a bound after a fifth more runs, which often learn more words. */
  #hasLearnedEnough(): boolean {
    if (this.#learnedAt === 0) this.#learnedAt = this.#runs;
    return this.#bound === Number.POSITIVE_INFINITY || this.#runs >= 1.2 * this.#learnedAt;
  }

  /** Runs on, with this thread first, until the path ends. */
  #goOn(first: number): void {
    this.#pathEnded = false;
    for (let next = first; next !== NOBODY; next = this.#pathEnded ? NOBODY : this.#choose(next))
      this.#machine.run(next);
    this.#runs++;
  }

  /**
   * Decides who goes on from the present state, and notes the others down for later.
   * @param ran who has run up to here
   * @returns nobody where the path ends: at its end, or in a known state
   */
  #choose(ran: number): number {
    const { enabled } = this.#machine;
    if (enabled.length === 0) {
      this.#machine.finish();
      return this.#endPath(1);
    }
    const current = ran !== NOBODY && this.#machine.canGoOn(ran) ? ran : NOBODY;
    if (current !== NOBODY && this.#used >= this.#bound) return current;
    const key = this.#key(current);
    const known = this.#known.get(key);
    if (known !== undefined) return this.#endPath(known);
    const others = enabled.filter((index) => index !== current);
    const options = current === NOBODY ? others : [current, ...others];
    if (options.length > 1) {
      const state = this.#machine.save();
      this.#choices.push({ key, options, next: 1, current, used: this.#used, state, schedules: 0 });
    }
    return options[0];
  }

  #endPath(schedules: number): number {
    this.#count(schedules);
    this.#pathEnded = true;
    return NOBODY;
  }

  #count(schedules: number): void {
    const before = this.#choices.at(-1);
    if (before === undefined) this.#schedules += schedules;
    else before.schedules += schedules;
  }

  /** Names a state by 53 bits: among a million states, two would be taken for one in 1 of 18,000 explorations. */
  #key(current: number): number {
    let [low, high] = this.#machine.hashes();
    if (this.#bound !== Number.POSITIVE_INFINITY) {
      low ^= mix(current, this.#used);
      high ^= mix(this.#used, current);
    }
    return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
  }
}
