/**
 * Exports that the cluster takes from behind the door of the core. The build makes a part of it, so that the program's one runtime has it. Imported and then
 * exported: a plain `export from` keeps the names in bundles that do not use them, 0.6 KB.
 */
import {
  after,
  Call,
  checkLimit,
  coreOf,
  disown,
  hasCodeOf,
  identityOf,
  importTasks,
  isPromise,
  isTask,
  nameOf,
  packOutcome,
  packTask,
  packValue,
  rootTask,
  stalled,
  unpackOutcome,
  unpackTask,
  unpackValue,
  watchEnds,
  withPermits,
} from '../core/engine.js';

export {
  after,
  checkLimit,
  coreOf,
  disown,
  hasCodeOf,
  identityOf,
  importTasks,
  isPromise,
  isTask,
  nameOf,
  packOutcome,
  packTask,
  packValue,
  rootTask,
  stalled,
  unpackOutcome,
  unpackTask,
  unpackValue,
  watchEnds,
  withPermits,
};

/** A place for notes on a timeline, if one is recorded. */
export const notesOf: typeof Call.notesOf = (call) => Call.notesOf(call);
