/** What a thread needs that runs asynchronous tasks without workers; on the thread that calls. */
export interface WithoutWorkers {
  /** Called with the outcome of the root. */
  rootEnded(failed: boolean, value: unknown): void;
  /** Throws once the root has to end; undefined if nothing can end it. */
  readonly look: (() => void) | undefined;
}
