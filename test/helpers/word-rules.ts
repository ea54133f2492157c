/** Rules of the house about words: those of records, and those with which docblocks begin; for `architecture.test.ts`. */
import type { ProjectFile } from './project-files.js';

const RECORD_KINDS = 'src/core/memory/record-kinds.ts';
const OF_KINDS = /\bR_(?:CANCEL|NEXT|RACE|REPORTS|CARRIED|ACCOUNT)\b/g;

/** Uses of a word of records that means several things, in source files beside the one whose functions say what is meant. */
export const ambiguousWords = (files: readonly ProjectFile[]): string[] =>
  files
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && path !== RECORD_KINDS)
    .flatMap(({ path, text }) => [...new Set(text.match(OF_KINDS))].map((word) => `${path} names ${word}`));

/** Folders whose docblocks begin with what a thing is or does. A folder joins the list when its last question has gone. */
const ANSWERED: readonly string[] = [
  'src/algorithms/filter/',
  'src/cluster/',
  'src/core/',
  'src/doctor/',
  'src/entry/',
  'src/extensions/',
  'src/flow/',
  'src/flows/',
  'src/insight/',
];

const QUESTION = /\/\*\*\s*(?:\*\s*)?(?:What|How|Who|Whose|Where|Whether|Which|When|Why)\b.*/g;

/** Docblocks of such folders that begin with a question word: the reader learns there what somebody asks, and not what the thing is. */
export const questions = (files: readonly ProjectFile[]): string[] =>
  files
    .filter(({ path }) => path.endsWith('.ts') && ANSWERED.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) => (text.match(QUESTION) ?? []).map((begin) => `${path}: ${begin}`));
