/** Rules of the house about the words of records, for `architecture.test.ts`. */
import type { ProjectFile } from './project-files.js';

const RECORD_KINDS = 'src/core/memory/record-kinds.ts';
const OF_KINDS = /\bR_(?:CANCEL|NEXT|RACE|REPORTS|CARRIED|ACCOUNT)\b/g;

/** Uses of a word of records that means several things, in source files beside the one whose functions say what is meant. */
export const ambiguousWords = (files: readonly ProjectFile[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && path !== RECORD_KINDS)
    .flatMap(({ path, text }) => [...new Set(text.match(OF_KINDS))].map((word) => `${path} names ${word}`));
