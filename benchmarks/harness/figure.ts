/** What a benchmark reports: figures, each with what it stands beside and the target it should meet. */
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

/** A native program's figure for the same work, looked up when the anchors have run. */
export interface AnchorReference {
  readonly system: string;
  readonly workload: string;
  readonly threads: number;
  readonly target?: Bound;
}

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** Of `value`: 'ms', 'us', 'ns', 'x' (a ratio that is the figure itself), '%'. */
  readonly unit: string;
  /** Of the samples, if there are several: how far their middle half reaches, as a share of the median. */
  readonly spread?: number;
  readonly samples: number;
  /** On the value itself. */
  readonly target?: Bound;
  readonly comparisons: readonly Comparison[];
  readonly anchors: readonly AnchorReference[];
  readonly note?: string;
}

/** What a figure may have besides its samples. */
export interface FigureParts {
  readonly unit?: string;
  readonly target?: Bound;
  readonly comparisons?: readonly Comparison[];
  readonly anchors?: readonly AnchorReference[];
  readonly note?: string;
}

/** A figure of samples, in milliseconds unless `parts` says otherwise. */
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

/** How many times as long as others these samples took, round by round. */
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

/** A speed-up as a figure of its own: the ratios of the rounds. */
export function speedUp(
  what: string,
  slower: readonly number[],
  faster: readonly number[],
  parts: FigureParts = {},
): Figure {
  const ratios = slower.map((ms, round) => ms / faster[round]);
  return figure(what, ratios, { unit: 'x', ...parts });
}
