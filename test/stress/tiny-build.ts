/** A build whose pools have a handful of records and rings of eight entries, so that they fill and wrap at once. */
import { pathToFileURL } from 'node:url';
import { ensureVariant } from '../../scripts/build.js';
import { type Change, setTo } from '../../scripts/changes/index.js';

const LAYOUT = 'src/core/memory/layout.ts';

const TINY: readonly Change[] = [
  setTo(LAYOUT, 'DEFAULT_CAPACITIES.ringLog2', '3'),
  setTo(LAYOUT, 'DEFAULT_CAPACITIES.recordsPerSlot', '6'),
];

/** The URL of its module, to be imported before anything else of the library. */
export const ensureTinyBuild = async (): Promise<string> => pathToFileURL(await ensureVariant('tiny', TINY)).href;
