/**
 * All generators of random work: tests run them for some seconds, `npm run stress` for as long as it is told, and planted bugs must not escape
 * them. They are loaded when they are run, because a build other than the usual one must be loaded before them.
 */
import type { RunOptions } from './run-options.js';

export interface Generator {
  /** How many runs take some ten seconds. */
  readonly runs: number;
  readonly load: () => Promise<(options: RunOptions) => Promise<void>>;
}

export const GENERATORS = {
  'pool commands': { runs: 12, load: async () => (await import('./pool-commands/play.js')).playSequences },
  'plain values': { runs: 400, load: async () => (await import('../fuzz/plain-values.js')).callWithPlainValues },
  'task graphs': { runs: 100, load: async () => (await import('./task-graphs.js')).runGraphs },
  pipelines: { runs: 40, load: async () => (await import('./pipelines/play.js')).runPipelines },
  'full heap': { runs: 20, load: async () => (await import('./full-heap.js')).fillHeaps },
} as const satisfies Record<string, Generator>;

export type GeneratorName = keyof typeof GENERATORS;
