/** The figures that a benchmark reports, with their comparisons and targets. */
import { median, pairedRatio, spread } from './median.js';

export interface Bound {
  readonly sense: 'at most' | 'at least';
  readonly limit: number;
}

export const atMost = (limit: number): Bound => ({ sense: 'at most', limit });
export const atLeast = (limit: number): Bound => ({ sense: 'at least', limit });
export const meets = (value: number, { sense, limit }: Bound): boolean =>
  sense === 'at most' ? value <= limit : value >= limit;

export interface Comparison {
  readonly beside: string;
  readonly ratio: number;
  readonly target?: Bound;
}

/** A native program that does the same work. Its figure is looked up after the anchors have run. */
export interface AnchorReference {
  readonly system: string;
  readonly workload: string;
  readonly threads: number;
  readonly target?: Bound;
}

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** The unit of `value`: 'ms', 'us', 'ns', '%', or 'x' if the figure is a ratio. */
  readonly unit: string;
  /** The interquartile range of the samples as a share of the median; undefined for a single sample. */
  readonly spread?: number;
  readonly samples: number;
  /** The target of the value itself. */
  readonly target?: Bound;
  readonly comparisons: readonly Comparison[];
  readonly anchors: readonly AnchorReference[];
  readonly note?: string;
}

/** Optional parts of a figure. */
export interface FigureParts {
  readonly unit?: string;
  readonly target?: Bound;
  readonly comparisons?: readonly Comparison[];
  readonly anchors?: readonly AnchorReference[];
  readonly note?: string;
}

/** Makes a figure from samples, which are in milliseconds unless `parts` says otherwise. */
export function figure(what: string, samples: readonly number[], parts: FigureParts = {}): Figure {
  return {
    what,
    value: median(samples),
    ...(samples.length > 1 ? { spread: spread(samples) } : {}),
    samples: samples.length,
    unit: 'ms',
    comparisons: [],
    anchors: [],
    ...parts,
  };
}

/** Compares samples with others, round by round: how many times as long they took. */
export const beside = (
  name: string,
  samples: readonly number[],
  others: readonly number[],
  target?: Bound,
): Comparison => ({
  beside: name,
  ratio: pairedRatio(samples, others),
  ...(target === undefined ? {} : { target }),
});

/** Makes a figure of a speed-up: the ratios of the rounds. */
export function speedUp(
  what: string,
  slower: readonly number[],
  faster: readonly number[],
  parts: FigureParts = {},
): Figure {
  const ratios = slower.map((ms, round) => ms / faster[round]);
  return figure(what, ratios, { unit: 'x', ...parts });
}
