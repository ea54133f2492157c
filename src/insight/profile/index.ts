/** Work and span: what `furcate/insight` exports, and what counts meanwhile; on every thread that is observed. */
import { install } from '../../core/engine.js';
import { ProfileObserver } from './observer.js';

export type {
  MeasuredSpeedUp,
  Precision,
  RegionProfile,
  ScheduleCounts,
  SpanStep,
  SpeedUp,
  StageProfile,
  TaskProfile,
  TimeProfile,
} from './numbers.js';
export { charge, type ProfileOptions, profile, region } from './profile.js';
export { type CheckReducerOptions, checkReducer } from './reducer.js';
export type { Profile } from './report.js';

install({ observer: (mode, own) => new ProfileObserver(mode, own) });
