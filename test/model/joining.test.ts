/**
 * The shipped source under the explorer: every scenario of these families in every schedule, or in every one with few
 * preemptions. `FURCATE_MODEL=deep` goes further. How it works: docs/correctness.md.
 */
import { explore, FAMILIES } from './exploration.js';

explore(FAMILIES.joining);
