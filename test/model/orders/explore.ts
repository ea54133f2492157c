/**
 * Every order of the events of one thread, for code that shares no memory: its calls, and the turns of its event loop.
 *
 * Objects cannot be put back to an earlier state, so each state is reached again from the start. Two orders that end in the same state go on in
 * the same way, so one of them is enough.
 */

/** What happens to something, step by step. */
export interface Trial {
  /** What may happen next, by name. */
  events(): readonly string[];
  /** Lets it happen, and checks what must hold then. @throws for what must not be */
  happen(event: string): void | Promise<void>;
  /** All that what comes next depends on. */
  state(): string;
}

/** An order of events that leads to what must not be. */
export class OrderFailure extends Error {
  constructor(order: readonly string[], reason: unknown) {
    super(`${String(reason)}\n  after: ${order.join(', ')}`);
  }
}

/**
 * Tries every order of events.
 *
 * @returns how many states there are
 * @throws (rejects with) OrderFailure for the first order after which something is wrong
 */
export async function exploreOrders(begin: () => Trial): Promise<number> {
  const seen = new Set<string>();
  const due: (readonly string[])[] = [[]]; // grows while it is read: short orders come first
  for (const order of due) {
    const trial = begin();
    try {
      for (const event of order) await trial.happen(event);
    } catch (error) {
      throw new OrderFailure(order, error);
    }
    const state = trial.state();
    if (seen.has(state)) continue;
    seen.add(state);
    for (const event of trial.events()) due.push([...order, event]);
  }
  return seen.size;
}
