/** Finds the place for notes of a call that is made of many tasks, if its timeline is recorded; on the thread that calls. */
import type { TimelineNotes } from '../observe/timeline-notes.js';
import { hooks } from '../worker/extension.js';
import { coreOf } from './executor.js';
import { traceOfEnvironment } from './options.js';
import { type CallOptions, poolOf } from './run-job.js';

/** @param call in a pool; none for the notes of what belongs to no pool. A call in a scope has no notes: it belongs to a task */
export function notesOf(call?: Pick<CallOptions, 'pool' | 'scope'>): TimelineNotes | undefined {
  if (call === undefined) return hooks.notes(traceOfEnvironment());
  return call.scope === undefined ? hooks.notes(coreOf(poolOf(call.pool)).settings.trace) : undefined;
}
