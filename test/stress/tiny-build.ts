/** A build whose pools have a handful of records and rings of eight entries, so that they fill and wrap at once. */
import { pathToFileURL } from 'node:url';
import { type Change, ensureVariant } from '../../scripts/build.js';

const TINY: readonly Change[] = [
  {
    file: 'src/core/memory/layout.ts',
    find: '{ ringLog2: 15, recordsPerSlot: 16384 }',
    replace: '{ ringLog2: 3, recordsPerSlot: 6 }',
  },
];

/** The URL of its module, to be imported before anything else of the library. */
export const ensureTinyBuild = async (): Promise<string> => pathToFileURL(await ensureVariant('tiny', TINY)).href;
