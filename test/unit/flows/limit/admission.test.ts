/** Permits against an oracle that knows nothing but the rule: whoever asks gets all at once, and nobody overtakes at a limit. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/engine.js';
import { Admission, type Permits, Stock } from '../../../../src/flows/limit/admission.js';

const SIZES = [1, 2, 5];

/** One who asks: how many permits of each limit, none for 0. */
type Need = readonly number[];

interface Asker {
  readonly need: Need;
  readonly signal: CallSignal;
  state: 'waits' | 'runs' | 'ended';
  permits: Permits | undefined;
}

/** What should happen: a list of those that wait, searched from the front. */
class Oracle {
  readonly free = [...SIZES];
  readonly waiting: number[] = [];
  readonly started: number[] = [];
  readonly needs: Need[] = [];

  ask(need: Need): void {
    this.waiting.push(this.needs.push(need) - 1);
    this.#admit();
  }

  end(id: number): void {
    for (const [k, permits] of (this.needs[id] as Need).entries()) this.free[k] = (this.free[k] as number) + permits;
    this.#admit();
  }

  withdraw(id: number): void {
    this.waiting.splice(this.waiting.indexOf(id), 1);
    this.#admit();
  }

  #admit(): void {
    const wanted = SIZES.map(() => false);
    for (const id of [...this.waiting]) {
      const need = this.needs[id] as Need;
      const may = need.every((permits, k) => permits === 0 || (!wanted[k] && permits <= (this.free[k] as number)));
      for (const [k, permits] of need.entries()) {
        if (may) this.free[k] = (this.free[k] as number) - permits;
        else if (permits > 0) wanted[k] = true;
      }
      if (!may) continue;
      this.waiting.splice(this.waiting.indexOf(id), 1);
      this.started.push(id);
    }
  }
}

const need = fc
  .tuple(...SIZES.map((size) => fc.integer({ min: 0, max: size })))
  .filter((permits) => permits.some((n) => n > 0));
const step = fc.oneof(
  { weight: 3, arbitrary: need.map((wanted) => ({ type: 'ask' as const, wanted })) },
  { weight: 2, arbitrary: fc.nat().map((which) => ({ type: 'end' as const, which })) },
  { weight: 1, arbitrary: fc.nat().map((which) => ({ type: 'abort' as const, which })) },
);

test('all that one asks for is taken at once, in the order of asking, and nothing is lost', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const stocks = SIZES.map((size, k) => new Stock(`limit ${k}`, size));
    const oracle = new Oracle();
    const askers: Asker[] = [];
    const started: number[] = [];
    for (const one of steps) {
      const [running, waiting] = ['runs', 'waits'].map((state) => askers.filter((asker) => asker.state === state));
      if (one.type === 'ask') {
        const id = askers.length;
        const asker: Asker = { need: one.wanted, signal: new CallSignal(), state: 'waits', permits: undefined };
        askers.push(asker);
        const asks = one.wanted.flatMap((permits, k) => (permits > 0 ? [{ stock: stocks[k] as Stock, permits }] : []));
        const admission = new Admission(asks);
        const begin = (permits: Permits): void => {
          Object.assign(asker, { state: 'runs', permits });
          started.push(id);
        };
        const atOnce = admission.tryTake();
        if (atOnce !== undefined) begin(atOnce);
        else admission.take(asker.signal).then(begin, () => Object.assign(asker, { state: 'ended' }));
        oracle.ask(one.wanted);
      } else if (one.type === 'end' && running?.length) {
        const asker = running[one.which % running.length] as Asker;
        asker.state = 'ended';
        asker.permits?.release();
        asker.permits?.release(); // only once
        oracle.end(askers.indexOf(asker));
      } else if (one.type === 'abort' && waiting?.length) {
        const asker = waiting[one.which % waiting.length] as Asker;
        asker.signal.abort('enough');
        oracle.withdraw(askers.indexOf(asker));
      }
      for (let k = 0; k < 5; k++) await undefined;
      expect(stocks.map(({ free }) => free)).toEqual(oracle.free);
      expect([...started].sort((a, b) => a - b)).toEqual([...oracle.started].sort((a, b) => a - b));
      expect(askers.flatMap(({ state }, id) => (state === 'waits' ? [id] : []))).toEqual(oracle.waiting);
    }
  });
  await fc.assert(property, { numRuns: 300 });
});

test('a wait that is aborted takes nothing, also when its turn has just come', async () => {
  const stock = new Stock('one', 1);
  const admission = new Admission([{ stock, permits: 1 }]);
  const held = admission.tryTake() as Permits;
  const signal = new CallSignal();
  let ran = false;
  const second = admission.run(async () => {
    ran = true;
  }, signal);
  held.release(); // its turn
  signal.abort(new Error('enough')); // before it has heard of it
  await expect(second).rejects.toThrow('enough');
  expect([ran, stock.free]).toEqual([false, 1]);
  await expect(admission.take(signal)).rejects.toThrow('enough');
  expect([stock.free, stock.line.size]).toEqual([1, 0]);
});

test('permits are given back when what they were taken for fails, or does not even start', async () => {
  const stock = new Stock('one', 1);
  const admission = new Admission([{ stock, permits: 1 }]);
  await expect(admission.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const throws = (): never => {
    throw new Error('at once');
  };
  await expect(admission.run(throws)).rejects.toThrow('at once');
  expect(stock.free).toBe(1);
});
