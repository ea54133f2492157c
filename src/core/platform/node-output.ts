/** Output of threads: written at once, through the file descriptors. */
import { variable } from './node-permissions.js';

function writeAll(fd: number, chunk: string | Uint8Array): void {
  const fs = process.getBuiltinModule('node:fs');
  let rest = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  while (rest.byteLength > 0) {
    try {
      rest = rest.subarray(fs.writeSync(fd, rest));
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') return; // a full pipe drains; a closed one never will
    }
  }
}

/**
 * Ends writes that are on their way: a module that Node required first has printed, which the main thread must acknowledge. Until it
 * does, a stream keeps back what follows, and while the main thread blocks, it does not. So the library acknowledges in its place.
 */
function endPendingWrites(output: object): void {
  const prototype: object = Object.getPrototypeOf(output);
  const key = Object.getOwnPropertySymbols(prototype).find(
    ({ description }) => description === 'kStdioWantsMoreDataCallback',
  );
  if (key !== undefined) (output as Record<symbol, () => void>)[key]();
}

/** Returns true if anything can print in a worker before the library does, which writes to the descriptors itself. */
export const mayPrintEarly = (execArgv: readonly string[] = process.execArgv): boolean =>
  execArgv.length > 0 || Boolean(variable('NODE_OPTIONS') || variable('NODE_DEBUG'));

/** A worker's output goes through the main thread's loop, and is lost when the worker never returns to its own. */
export function flushConsole(): void {
  for (const [k, output] of [process.stdout, process.stderr].entries()) {
    output._writev = undefined;
    output._write = (chunk, _encoding, done) => {
      writeAll(k + 1, chunk);
      done();
    };
    endPendingWrites(output);
  }
}

/** A warning of a worker, which may be ended before its next tick, when `process.emitWarning` would print. */
export const warnNow = (message: string): void => writeAll(2, `FurcateWarning: ${message}\n`);
