/** Makes the record that a stage writes for a mutant. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { hashOf } from './outcomes.js';
import { keyOf, type MutantSite } from './sample.js';
import type { Outcome } from './settings.js';

/** The source text that a mutant replaces, on one line. */
function originalOf(fileName: string, { start, end }: MutantSite['location']): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line, end.line + 1);
  lines[lines.length - 1] = (lines.at(-1) as string).slice(0, end.column);
  lines[0] = (lines[0] as string).slice(start.column);
  return lines.join(' ').replace(/\s+/g, ' ');
}

/**
 * @param mutant its lines and columns count from 0
 * @param ms the duration of the measurement
 */
export function outcomeOf(mutant: MutantSite, status: string, reason: string, ms: number): Outcome {
  const { fileName, mutatorName, replacement, location } = mutant;
  return {
    key: keyOf(mutant),
    file: relative(process.cwd(), fileName).replaceAll('\\', '/'),
    source: hashOf(fileName),
    line: location.start.line + 1,
    mutator: mutatorName,
    original: originalOf(fileName, location),
    replacement: replacement ?? '',
    status,
    reason: reason.slice(0, 200),
    ms: Math.round(ms),
  };
}
