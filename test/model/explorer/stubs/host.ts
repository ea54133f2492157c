/** The runtime of a model: a turn of the event loop brings nothing, and threads are there already. */

/** Callbacks of the workers that a worker group has started, in order. */
const spawned: { exit(code: number): void; message(message: unknown): void }[] = [];

/** Callbacks of timers that were set, in order; a scenario calls them. */
const timers: (() => void)[] = [];

export const host = () => ({
  spawned,
  timers,
  turn: (): void => {},
  mayBlock: (): boolean => true,
  keepAlive: () => (): void => {},
  backgroundTimer: (_ms: number, callback: () => void) => {
    timers.push(callback);
    return (): void => {};
  },
  spawn: (_options: unknown, events: (typeof spawned)[number]) => {
    spawned.push(events);
    // Threads that are told to end run on to where they see it themselves: the worst they can do.
    return { begin() {}, post() {}, ref() {}, unref() {}, terminate() {}, isRunning: () => true };
  },
  serialize: (): never => {
    throw new RangeError('the model has no heap');
  },
});
