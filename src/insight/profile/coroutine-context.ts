/** The strand that the code of a coroutine belongs to, which goes on after each `await`; on every thread that is observed. */
import { contextVariable } from '../../core/engine.js';

let context: ReturnType<typeof contextVariable>;

/** Runs a body, and what it does later, so that it belongs to a strand. */
export function inCoroutine<R>(strand: object, body: () => R): R {
  context ??= contextVariable();
  return context === undefined ? body() : context.run(strand, body);
}

/** The strand, within a coroutine. @param now what the thread runs: taken where the platform has no contexts */
export const coroutineHere = <Strand extends object>(now?: Strand): Strand | undefined =>
  context === undefined ? now : (context.get() as Strand | undefined);

/** True unless no coroutine has run, or the platform has no contexts. */
export const isCoroutineKnown = (): boolean => context !== undefined;
