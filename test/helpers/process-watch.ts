/**
 * Watches what reaches the process although nobody asked for it: unhandled rejections, uncaught exceptions, warnings. No call of the library
 * may cause one.
 */
import { onUnhandledRejection, turn } from './event-loop.js';

const seen: string[] = [];

const note =
  (what: string) =>
  (value: unknown): void => {
    seen.push(`${what}: ${value instanceof Error ? value.stack : String(value)}`);
  };

onUnhandledRejection(note('an unhandled rejection'));
if (typeof process === 'undefined') addEventListener('error', ({ error }) => note('an uncaught exception')(error));
else {
  process.on('uncaughtException', note('an uncaught exception'));
  process.on('warning', note('a warning'));
}

/** An error that names what has reached the process since the last call. Node tells of it after the microtasks, and in the next turn. */
export async function expectUndisturbed(what: string): Promise<void> {
  await turn();
  const all = seen.splice(0);
  if (all.length > 0) throw new Error(`${what}: the process saw ${all.join('\nand ')}`);
}
