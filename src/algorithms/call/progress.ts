/** `onProgress` of an algorithm counts elements of its input, whatever its job counts; runs on the calling thread. */
import type { CallOptions } from '../../core/pool/call.js';

/** Reports the end of a call that its caller did itself. */
export function finished(call: CallOptions, total: number): void {
  call.onProgress?.(total, total);
}

/**
 * The options for a job that does part of a call.
 *
 * @param before elements that are done already
 * @param total elements of the call
 * @param passes how often the job counts each element
 */
export function progressFrom(call: CallOptions, before: number, total: number, passes: number): CallOptions {
  const { onProgress } = call;
  if (onProgress === undefined || (before === 0 && passes === 1)) return call;
  return { ...call, onProgress: (done) => onProgress(Math.min(total, before + Math.floor(done / passes)), total) };
}
