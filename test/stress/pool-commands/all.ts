/** All commands. */
import type fc from 'fast-check';
import type { Command } from './command.js';
import { ENDINGS } from './endings.js';
import { LONG_CALLS } from './long-calls.js';
import { MEMORY } from './memory.js';
import { PRIORITIES } from './priorities.js';
import { REFUSALS } from './refusals.js';
import { REPORTING } from './reporting.js';
import { SHORT_CALLS } from './short-calls.js';
import { SIGNALS } from './signals.js';
import { VALUES } from './values.js';
import { WAITING } from './waiting.js';

export const COMMANDS: readonly fc.Arbitrary<Command>[] = [
  ...LONG_CALLS,
  ...SHORT_CALLS,
  ...ENDINGS,
  ...WAITING,
  ...REPORTING,
  ...VALUES,
  ...MEMORY,
  ...REFUSALS,
  ...SIGNALS,
  ...PRIORITIES,
];
