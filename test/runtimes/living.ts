/** Hosts that live: they end with this process, however it ends by itself or by a signal that asks it to. */
const endings = new Set<() => void>();

process.on('exit', () => {
  for (const end of endings) end();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

/**
 * Calls `end` when this process ends.
 * @returns what to call when the host has ended by itself
 */
export function endWithUs(end: () => void): () => void {
  endings.add(end);
  return () => void endings.delete(end);
}
