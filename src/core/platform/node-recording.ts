/**
 * Services of Node, Bun and Deno for those who record what threads do: files that are written at once, compression, garbage collections, code that goes
 * on after an `await`; on every thread.
 */
import type { RecordingHost } from './host.js';
import { linesOf } from './node-lines.js';
import { monitorFile, programName } from './node-monitor.js';

/** `trace-3.json` of `trace.json`: for thread 3, so that it does not write into the file of the main thread. */
function pathOfThread(path: string): string {
  const { isMainThread, threadId } = process.getBuiltinModule('node:worker_threads');
  const named = path.replaceAll('%p', String(process.pid));
  return isMainThread ? named : named.replace(/(\.json|\.bin)?(\.gz)?$/, `-${threadId}$&`);
}

export const nodeRecording = (): RecordingHost => ({
  createFile(path) {
    const fs = process.getBuiltinModule('node:fs');
    const file = fs.openSync(pathOfThread(path), 'w');
    return {
      write(bytes, at) {
        for (let done = 0; done < bytes.length; )
          done += fs.writeSync(file, bytes, done, bytes.length - done, at + done);
      },
    };
  },
  deflate(bytes) {
    const { constants, deflateRawSync } = process.getBuiltinModule('node:zlib');
    return deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  },
  onEnd: (act) => void process.on('exit', act),
  onCollected(tell) {
    const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
    const { supportedEntryTypes } = PerformanceObserver as { readonly supportedEntryTypes?: readonly string[] };
    if (supportedEntryTypes?.includes('gc') !== true) return undefined; // Bun, Deno
    const tellOf = (entries: readonly { readonly startTime: number; readonly duration: number }[]): void => {
      for (const { startTime, duration } of entries) tell(startTime, duration);
    };
    const observer = new PerformanceObserver((list) => tellOf(list.getEntries()));
    observer.observe({ entryTypes: ['gc'] });
    const told = (): void => tellOf(observer.takeRecords()); // the observer itself is called a turn later
    return {
      tell: told,
      end() {
        told();
        observer.disconnect();
      },
    };
  },
  onContinued:
    'bun' in process.versions || 'deno' in process.versions
      ? undefined
      : (before, after) => {
          const { createHook } = process.getBuiltinModule('node:async_hooks');
          const hook = createHook({ before, after }).enable();
          return () => void hook.disable();
        },
  processName: `${programName()} (${process.pid})`,
  heapBytes: () => process.memoryUsage().heapUsed,
  linesOf,
  monitorFile,
});
