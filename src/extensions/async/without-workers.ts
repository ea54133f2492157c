/** Asynchronous tasks without workers, as their scheduler sees the executor; on the thread that calls. */
import type { Strand } from '../../core/observe/observer.js';

export interface WithoutWorkers {
  /** Called with the outcome of the root. */
  rootEnded(failed: boolean, value: unknown, strand: Strand | undefined): void;
  /** Throws once the root has to end; undefined if nothing can end it. */
  readonly look: (() => void) | undefined;
}
