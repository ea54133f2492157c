/** Counts the listeners of an event target, on every runtime. */

/** @returns how many listeners that were added from now on are still there; a listener that runs once is there until it is removed */
export function countListeners(target: EventTarget): () => number {
  const listeners = new Set<unknown>();
  const add = target.addEventListener.bind(target) as (...args: unknown[]) => void;
  const remove = target.removeEventListener.bind(target) as (...args: unknown[]) => void;
  Object.assign(target, {
    addEventListener: (type: string, listener: unknown, ...rest: unknown[]): void => {
      listeners.add(listener);
      add(type, listener, ...rest);
    },
    removeEventListener: (type: string, listener: unknown, ...rest: unknown[]): void => {
      listeners.delete(listener);
      remove(type, listener, ...rest);
    },
  });
  return () => listeners.size;
}
