/** The strand that the code of a coroutine belongs to, which goes on after each `await`; on every thread that is observed. */
import { contextVariable } from '../core/engine.js';

/** @typeParam Strand as one kind of observer has them: each has contexts of its own, since one may follow the other while a coroutine waits */
export class StrandContext<Strand extends object> {
  #variable: ReturnType<typeof contextVariable>;

  /** Runs a body, and what it does later, so that it belongs to a strand. */
  run<R>(strand: Strand, body: () => R): R {
    this.#variable ??= contextVariable();
    return this.#variable === undefined ? body() : this.#variable.run(strand, body);
  }

  /** The strand, within a coroutine. @param now what the thread runs: taken where the platform has no contexts */
  here(now?: Strand): Strand | undefined {
    return this.#variable === undefined ? now : (this.#variable.get() as Strand | undefined);
  }

  /** True unless no coroutine has run, or the platform has no contexts. */
  get isKnown(): boolean {
    return this.#variable !== undefined;
  }
}
