/**
 * Source of the library's own functions and kinds of jobs; runs on every thread.
 *
 * The library may be shipped in pieces, and a thread has only those that it needs. So what the library registers of its own has an
 * *origin*: a word that the supplier alone understands, which knows how the library is shipped. A thread that lacks a function or a kind
 * asks the supplier for everything of its origin. Without a supplier, a thread has all of the library from the start.
 */

export interface Supplier {
  /** The origin of what is registered now. */
  origin(): string;
  /**
   * Brings into this thread everything of an origin: it is registered then.
   *
   * @throws Error when it is not to be had here
   */
  supply(origin: string): void;
  /**
   * Lets other threads have what this thread uses. To be called before the first task that needs it can be seen by others.
   *
   * @throws RangeError when the heap is full; the next call goes on
   */
  share(): void;
}

/** The supplier of this thread, whose functions whoever ships the library replaces. */
export const supplier: Supplier = { origin: () => '', supply() {}, share() {} };
