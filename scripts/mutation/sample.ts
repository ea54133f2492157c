/**
 * Chooses the mutants of a run: a random sample that a seed repeats, or one part of it. A mutant is known by what it is
 * and where, so two runs of the same source agree on it, whatever numbers the instrumenter gives.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';

/** What StrykerJS says of a mutant: its file is absolute, lines and columns count from 0. */
export interface MutantSite {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
  readonly location: { readonly start: Position; readonly end: Position };
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a run measures. */
export interface Sampling {
  readonly seed: number;
  /** How many mutants; `Infinity` is not JSON, so all of them is 0. */
  readonly size: number;
  /** This part of so many, from 1. */
  readonly part: number;
  readonly parts: number;
}

/** A mutant's name, the same in every run as long as its file does not change above it. */
export function keyOf({ fileName, mutatorName, replacement, location: { start, end } }: MutantSite): string {
  const file = relative(process.cwd(), fileName).replaceAll('\\', '/');
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

const rank = (seed: number, key: string): string => createHash('sha256').update(`${seed} ${key}`).digest('hex');

/**
 * The keys that a run measures: a sample of `keys` without regard to their order, of which every part takes its share.
 *
 * @returns as many as asked for, or all if there are fewer
 */
export function sampleOf(keys: readonly string[], { seed, size, part, parts }: Sampling): string[] {
  const ranked = keys.map((key) => ({ key, rank: rank(seed, key) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const sample = size === 0 ? ranked : ranked.slice(0, size);
  return sample.filter((_, i) => i % parts === part - 1).map(({ key }) => key);
}
