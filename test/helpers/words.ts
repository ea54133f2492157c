/** Words that tests and tasks talk through: nobody sleeps, everybody waits for a word. */
import { sharedArray } from 'furcate';

export const sharedWords = (length = 8): Int32Array => sharedArray(Int32Array, length);

type WaitAsync = (words: Int32Array, at: number, value: number) => { value: Promise<string> | string };

/** Resolves once a task has set a word that was 0 and notified it. */
export async function whenSet(words: Int32Array, at = 0): Promise<void> {
  const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync };
  const alive = setInterval(() => {}, 1000); // a pending waitAsync alone keeps no event loop alive
  await waitAsync(words, at, 0).value;
  clearInterval(alive);
}

/** Tells tasks that look at a word. */
export function tell(words: Int32Array, at: number): void {
  Atomics.store(words, at, 1);
  Atomics.notify(words, at);
}
