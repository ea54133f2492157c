/** Tasks that need permits: they ask, start, end, fail and are cancelled, in any order, also several times in one turn of the event loop. */
import { CallSignal } from '../../../src/core/engine.js';
import type * as Source from '../../../src/flows/limit/admission.js';
import type { Trial } from './explore.js';

export interface LimitCase {
  /** How many permits each limit has. */
  readonly sizes: readonly number[];
  /** How many permits of each limit each task needs. */
  readonly needs: readonly (readonly number[])[];
}

/** Turns of the microtask queue after which nothing is left in it. */
const MICROTASKS = 12;

class LimitedTask {
  state: 'new' | 'waits' | 'runs' | 'succeeded' | 'failed' | 'cancelled' = 'new';
  readonly need: readonly number[];
  readonly signal = new CallSignal();
  end: () => void = () => {};

  constructor(need: readonly number[]) {
    this.need = need;
  }

  sharesLimitWith({ need }: LimitedTask): boolean {
    return need.some((permits, k) => permits > 0 && (this.need[k] as number) > 0);
  }
}

export class LimitTrial implements Trial {
  readonly #stocks: readonly Source.Stock[];
  readonly #tasks: readonly LimitedTask[];
  readonly #asked: LimitedTask[] = [];
  readonly #Admission: typeof Source.Admission;
  readonly #mostInTurn: number;
  /** What has happened in this turn of the event loop. */
  #turn: string[] = [];
  /** Errors of callbacks, which nobody would see. */
  #wrong: string | undefined;

  constructor({ Admission, Stock }: typeof Source, { sizes, needs }: LimitCase, mostInTurn: number) {
    this.#mostInTurn = mostInTurn;
    this.#Admission = Admission;
    this.#stocks = sizes.map((size, k) => new Stock(`limit ${k}`, size));
    this.#tasks = needs.map((need) => new LimitedTask(need));
  }

  events(): string[] {
    const of = (what: string, may: (task: LimitedTask) => boolean): string[] =>
      this.#tasks.flatMap((task, k) => (may(task) ? [`${what} ${k}`] : []));
    if (this.#turn.length >= this.#mostInTurn) return ['turn'];
    return [
      ...of('ask', ({ state }) => state === 'new'),
      ...of('end', ({ state }) => state === 'runs'),
      ...of('abort', ({ state, signal }) => (state === 'waits' || state === 'runs') && !signal.aborted),
      ...(this.#turn.length > 0 ? ['turn'] : []),
    ];
  }

  async happen(event: string): Promise<void> {
    const [what, which] = event.split(' ');
    this.#turn.push(event);
    const task = this.#tasks[Number(which)] as LimitedTask;
    if (what === 'ask') this.#ask(task, Number(which));
    if (what === 'end') task.end();
    if (what === 'abort') task.signal.abort('cancelled');
    if (what === 'turn') {
      this.#turn = [];
      for (let k = 0; k < MICROTASKS; k++) await undefined;
      this.#checkRest();
    }
    this.#checkAlways();
  }

  state(): string {
    const tasks = this.#tasks.map(({ state, signal }) => [state, signal.aborted]);
    const order = this.#asked.map((task) => this.#tasks.indexOf(task));
    return JSON.stringify([tasks, order, this.#stocks.map(({ free, line }) => [free, line.size]), this.#turn]);
  }

  #ask(task: LimitedTask, which: number): void {
    this.#asked.push(task);
    task.state = 'waits';
    const stocks = this.#stocks;
    const asks = task.need.flatMap((permits, k) =>
      permits > 0 ? [{ stock: stocks[k] as Source.Stock, permits }] : [],
    );
    const start = (): Promise<void> => {
      if (task.signal.aborted) this.#wrong = `task ${which} was cancelled, and starts`;
      task.state = 'runs';
      return new Promise((resolve, reject) => {
        task.end = () => {
          task.state = which % 2 === 0 ? 'succeeded' : 'failed';
          if (task.state === 'succeeded') resolve();
          else reject('failed');
        };
      });
    };
    new this.#Admission(asks).run(start, task.signal).then(
      () => this.#settled(task, 'succeeded'),
      (reason) => this.#settled(task, reason),
    );
  }

  #settled(task: LimitedTask, outcome: LimitedTask['state']): void {
    if (task.state === 'waits') task.state = 'cancelled';
    if (task.state !== outcome) this.#wrong = `a task that has ${task.state} settles as one that has ${outcome}`;
  }

  #checkAlways(): void {
    if (this.#wrong !== undefined) throw new Error(this.#wrong);
    for (const [k, { free, size, name }] of this.#stocks.entries()) {
      if (free < 0 || free > size) throw new Error(`${name} has ${free} of ${size} permits`);
      if (this.#used(k) > size) throw new Error(`more run than ${name} allows`);
    }
  }

  /** What must hold when nothing is left to be done in this turn. */
  #checkRest(): void {
    for (const [k, { free, size, name }] of this.#stocks.entries())
      if (free !== size - this.#used(k)) throw new Error(`${name} has ${free} permits, and ${this.#used(k)} are used`);
    const waiting = this.#asked.filter(({ state }) => state === 'waits');
    for (const task of waiting) {
      const which = this.#tasks.indexOf(task);
      if (task.signal.aborted) throw new Error(`task ${which} was cancelled, and waits`);
      const others = this.#asked.filter((other) => other !== task && other.sharesLimitWith(task));
      const later = others.filter((other) => this.#asked.indexOf(other) > this.#asked.indexOf(task));
      if (later.some(({ state }) => state === 'runs' || state === 'succeeded' || state === 'failed'))
        throw new Error(`task ${which} was overtaken`);
      const isFirst = others.every((other) => later.includes(other) || other.state !== 'waits');
      if (isFirst && task.need.every((permits, k) => permits <= (this.#stocks[k] as Source.Stock).free))
        throw new Error(`task ${which} waits, and could start`);
    }
    const inLine = this.#stocks.map(({ line }) => line.size);
    const expected = this.#stocks.map((_, k) => waiting.filter(({ need }) => (need[k] as number) > 0).length);
    if (String(inLine) !== String(expected)) throw new Error(`${inLine} wait in the lines, not ${expected}`);
  }

  /** Permits of a limit that running tasks need. */
  #used(k: number): number {
    return this.#tasks.reduce((sum, { state, need }) => sum + (state === 'runs' ? (need[k] as number) : 0), 0);
  }
}
