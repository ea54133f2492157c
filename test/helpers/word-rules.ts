/** Rules of the house about words: those of records, and those with which docblocks begin; for `architecture.test.ts`. */
import type { ProjectFile } from './project-files.js';

const RECORD_KINDS = 'src/core/memory/record-kinds.ts';
const OF_KINDS = /\bR_(?:CANCEL|NEXT|RACE|REPORTS|CARRIED|ACCOUNT)\b/g;

/** Uses of a word of records that means several things, in source files beside the one whose functions say what is meant. */
export const ambiguousWords = (files: readonly ProjectFile[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && path !== RECORD_KINDS)
    .flatMap(({ path, text }) => [...new Set(text.match(OF_KINDS))].map((word) => `${path} names ${word}`));

/** A question word at the beginning, or a first sentence with a question mark. */
const QUESTION = /\/\*\*\s*(?:\*\s*)?(?:(?:What|How|Who|Whose|Where|Whether|Which|When|Why)\b.*|[^.:*\n]+\?(?=\s).*)/g;

/** Docblocks of the sources that begin with a question: the reader learns there what somebody asks, and not what the thing is. */
export const questions = (files: readonly ProjectFile[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))
    .flatMap(({ path, text }) => (text.match(QUESTION) ?? []).map((begin) => `${path}: ${begin}`));
