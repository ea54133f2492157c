/**
 * The steps of the protocol by name, at which tests look at a thread or kill it; on every thread. The build drops all calls of this name (scripts/parts.ts).
 * A build for tests gives the function a body, and keeps them.
 */

/** Every step, once. */
export const STEPS = [
  'start: before it is online',
  'start: online',
  'search: registered',
  'load: code is wanted',
  'steal: entry taken',
  'steal: record taken',
  'run: named',
  'run: body returned',
  'complete: encoded',
  'complete: done',
  'complete: root not counted',
  'complete: root counted',
  'publish: encoded',
  'publish: public',
  'publish: pushed',
  'join: claimed',
  'join: about to sleep',
  'join: task completed',
  'join: record to free',
  'sleep: state set',
  'sleep: registered',
  'sleep: about to wait',
  'sleep: woken',
  'wake: sleeper claimed',
  'wake: sleeper to notify',
  'coroutine: fork published',
  'coroutine: fork claimed',
  'coroutine: record completed',
  'coroutine: record linked',
  'coroutine: list taken',
  'spare: tasks published',
  'spare: thread counted',
  'spare: section ended',
  'spare: rests',
  'spare: has left',
  'report: encoded',
  'report: linked',
  'heap: lock taken',
  'heap: lock to release',
] as const;

export type ProbeStep = (typeof STEPS)[number];

/** This thread is at a step. The name must be a literal, so that the shipped build keeps nothing of the call. */
export function probeStep(_name: ProbeStep): void {}
