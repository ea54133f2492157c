/** The code table of a model: ids of code are those of its registry; shapes have theirs beside it. */
import { entries } from './registry.js';

export const KIND_SHAPE = 'shape';
export const KIND_SOURCE = 'source';
export const KIND_JOB = 'job';

/** The same in every thread, whichever asks first. */
const SHAPES = ['[]', '["n"]'];

export const codeTable = () => ({
  idOf: (_kind: string, _url: string, text: string): number => {
    const at = SHAPES.indexOf(text);
    if (at < 0) throw new Error(`the model knows no shape ${text}`);
    return -1 - at;
  },
  idOfRegistration: ({ id }: { id: number }): number => id,
  entry: (id: number) => (id < 0 ? { kind: KIND_SHAPE, url: '', name: SHAPES[-1 - id] } : entries[id]),
});

/** Tasks of a model need no code beside their own. */
export const wordOfCodes = (): number => 0;
