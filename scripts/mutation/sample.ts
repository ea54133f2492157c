/**
 * Chooses the mutants of a run: a random sample that a seed repeats, or one part of the sample. A mutant is identified by its place
 * and its replacement, so two runs on the same source agree, whatever numbers the instrumenter assigns.
 *
 * StrykerJS does not support samples. So this module asks its instrumenter for all mutants of the files, and the run then mutates only
 * the places of the chosen ones. Code with every mutant in it would be several times slower.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { Instrumenter } from '@stryker-mutator/instrumenter';

/** StrykerJS's description of a mutant. The file is absolute; lines and columns count from 0. */
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

/** Which mutants a run measures. */
export interface Sampling {
  readonly seed: number;
  /** Number of mutants; 0 for all. */
  readonly size: number;
  /** Which of `parts` parts of the sample, from 1. */
  readonly part: number;
  readonly parts: number;
}

/** The key of a mutant. It is equal in every run, as long as its file does not change above it. */
export function keyOf({ fileName, mutatorName, replacement, location: { start, end } }: MutantSite): string {
  const file = relative(process.cwd(), fileName).replaceAll('\\', '/');
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

const silent: Logger = new Proxy({} as Logger, {
  get: (_, name) => (String(name).startsWith('is') ? () => false : () => {}),
});

/** All mutants of source files. */
export async function mutantsOf(paths: readonly string[], excludedMutations: string[]): Promise<readonly Mutant[]> {
  const files = paths.map((path) => ({ name: resolve(path), mutate: true, content: readFileSync(path, 'utf8') }));
  const { mutants } = await new Instrumenter(silent).instrument(files, {
    excludedMutations,
    ignorers: [],
    plugins: null,
  });
  return mutants.filter(({ status }) => status !== 'Ignored');
}

/** A mutant's place in the format of StrykerJS's option `mutate`, where lines count from 1. */
export function rangeOf({ fileName, location: { start, end } }: MutantSite): string {
  const file = relative(process.cwd(), fileName).replaceAll('\\', '/');
  return `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
}

const rank = (seed: number, key: string): string => createHash('sha256').update(`${seed} ${key}`).digest('hex');

/**
 * Draws a sample of `mutants`, independent of their order, and returns one part of it.
 *
 * @returns the part's share of `size` mutants, or of all mutants if there are fewer
 */
export function sampleOf<M extends MutantSite>(mutants: readonly M[], { seed, size, part, parts }: Sampling): M[] {
  const ranked = mutants
    .map((mutant) => ({ mutant, rank: rank(seed, keyOf(mutant)) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const sample = size === 0 ? ranked : ranked.slice(0, size);
  return sample.filter((_, i) => i % parts === part - 1).map(({ mutant }) => mutant);
}
