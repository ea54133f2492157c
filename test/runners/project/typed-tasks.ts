// A task whose types Node cannot strip: the runner compiles it for the test, furcate/tsx for the workers.
import { forkable } from 'furcate';

enum Unit {
  Metre = 1,
  Kilometre = 1000,
}

export const metres = forkable(import.meta.url, 'metres', (value: number): number => value * Unit.Kilometre);

/** Does a task run on the thread of a page? */
export const isOnPage = forkable(import.meta.url, 'isOnPage', (): boolean => 'document' in globalThis);
