/** The part `profile`: what `furcate/insight` exports, and what observes the threads of pools meanwhile; on every thread. */
import { extend } from '../../core/engine.js';
import { ProfileObserver } from './observer.js';

export type { MeasuredSpeedUp, RegionProfile, SpanStep, TaskProfile } from './numbers.js';
export { charge, type ProfileOptions, profile, region } from './profile.js';
export { type CheckReducerOptions, checkReducer } from './reducer.js';
export type { Profile } from './report.js';
export { type Trace, type TraceOptions, trace } from './trace.js';

extend({ observer: (mode, where) => new ProfileObserver(mode, where) });
