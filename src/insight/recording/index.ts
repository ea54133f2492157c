/** Timelines of what threads do; on every thread that is recorded, and on those that own pools. */
import { type hooks, install } from '../../core/engine.js';
import { callersRecorder, endGroup, notesHere, recordGroup } from './hub.js';
import { placeIn } from './recorded-group.js';
import { Recorder } from './recorder.js';

export { type Trace, type TraceOptions, trace } from './trace.js';

/** This thread's, if it is a worker: it works for one worker group. */
let own: Recorder | undefined;

/** Goes on with what the thread had, if it was observed otherwise meanwhile. */
function workersRecorder(...[slot, mode]: Parameters<typeof hooks.recorder>): Recorder {
  if (own?.mode !== mode) own = new Recorder(mode, placeIn(slot, mode));
  return own;
}

install({
  record: recordGroup,
  recorder: (slot, mode) => (slot.slot === 0 ? callersRecorder(slot) : workersRecorder(slot, mode)),
  ended: endGroup,
  notes: notesHere,
});
