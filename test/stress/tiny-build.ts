/** A build whose pools have a handful of records and rings of two entries, so that they fill, grow and wrap at once. */
import { pathToFileURL } from 'node:url';
import { type Change, ensureVariant } from '../../scripts/build.js';

const TINY: readonly Change[] = [
  {
    file: 'src/core/memory/layout.ts',
    find: '{ ringMinLog2: 8, ringMaxLog2: 15, recordsPerSlot: 16384 }',
    replace: '{ ringMinLog2: 1, ringMaxLog2: 3, recordsPerSlot: 6 }',
  },
];

/** The URL of its module, to be imported before anything else of the library. */
export const ensureTinyBuild = async (): Promise<string> => pathToFileURL(await ensureVariant('tiny', TINY)).href;
