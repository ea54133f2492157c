/** All planted bugs. */
import { ACTIVATION_MUTATIONS } from './activation.js';
import { BEST_MUTATIONS } from './best.js';
import { CHAIN_MUTATIONS } from './chain.js';
import { COROUTINE_MUTATIONS } from './coroutines.js';
import { DEQUE_MUTATIONS } from './deque.js';
import { ENDING_MUTATIONS } from './endings.js';
import { JOIN_MUTATIONS } from './joins.js';
import { LOCK_MUTATIONS } from './lock.js';
import type { Mutation } from './mutation.js';
import { POOL_MUTATIONS } from './pool.js';
import { PRIORITY_MUTATIONS } from './priorities.js';
import { RANGES_MUTATIONS } from './ranges.js';
import { READINESS_MUTATIONS } from './readiness.js';
import { RECORD_MUTATIONS } from './records.js';
import { REPORT_MUTATIONS } from './reports.js';
import { SLOT_MUTATIONS } from './slots.js';
import { SPARE_MUTATIONS } from './spares.js';
import { SPREAD_MUTATIONS } from './spread.js';
import { TABLE_MUTATIONS } from './tables.js';
import { WAKING_MUTATIONS } from './waking.js';

export const MUTATIONS: readonly Mutation[] = [
  ...DEQUE_MUTATIONS,
  ...ACTIVATION_MUTATIONS,
  ...RECORD_MUTATIONS,
  ...JOIN_MUTATIONS,
  ...WAKING_MUTATIONS,
  ...POOL_MUTATIONS,
  ...LOCK_MUTATIONS,
  ...CHAIN_MUTATIONS,
  ...RANGES_MUTATIONS,
  ...SLOT_MUTATIONS,
  ...COROUTINE_MUTATIONS,
  ...SPREAD_MUTATIONS,
  ...SPARE_MUTATIONS,
  ...PRIORITY_MUTATIONS,
  ...REPORT_MUTATIONS,
  ...ENDING_MUTATIONS,
  ...BEST_MUTATIONS,
  ...TABLE_MUTATIONS,
  ...READINESS_MUTATIONS,
];
