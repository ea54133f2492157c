/** Objects on their way to the worker that alone may run their task (moved-objects.ts); runs on the thread that owns the pool. */
import { unmovable } from '../code/platform-objects.js';
import { markExternal } from '../memory/external-buffers.js';
import { acceptMoved, type Moves } from '../memory/moved-objects.js';
import type { WorkerThread } from '../platform/host.js';
import type { ToWorker } from '../worker/serve.js';

/** Calls `move` with each object. @throws NotShareableError for what cannot be transferred now */
function moveAll(moves: Moves, move: (object: object, number: number) => void): void {
  for (const [object, number] of moves) {
    try {
      move(object, number);
    } catch (cause) {
      throw unmovable(object, cause);
    }
  }
}

/**
 * Moves objects to a worker. Returns what is to be called when their task has ended.
 *
 * @throws NotShareableError
 */
export function moveTo(thread: WorkerThread | undefined, moves: Moves): () => void {
  const post = (number: number, object?: object): void =>
    thread?.post({ type: 'moved', number, object } satisfies ToWorker, object && [object]);
  moveAll(moves, (object, number) => post(number, object));
  markExternal();
  return () => {
    for (const number of moves.values()) post(number);
  };
}

/** Without threads, a task gets clones of what is moved, as it would elsewhere. As `moveTo`. */
export function moveHere(moves: Moves): () => void {
  moveAll(moves, (object, number) =>
    acceptMoved(number, structuredClone(object, { transfer: [object as Transferable] })),
  );
  return () => {
    for (const number of moves.values()) acceptMoved(number, undefined);
  };
}
