/**
 * Tells whether monitoring listens to what pools tell: looked at for each invocation, so it is three reads; runs on the thread that owns a
 * pool.
 */
import { type DiagnosticsChannel, host } from '../platform/host.js';

const CHANNELS = ['invoke', 'crash', 'steal'] as const;

let channels: readonly (DiagnosticsChannel | undefined)[] | undefined;

export function isHeard(): boolean {
  channels ??= CHANNELS.map((name) => host().channel?.(`furcate:${name}`));
  return channels.some((channel) => channel?.hasSubscribers);
}
