/**
 * The errors that are the library's own; made and thrown on every thread.
 *
 * They cross threads and copies of the library, so they are told by a brand and not by their class: ask
 * `CancellationError.is(error)` where the error may come from elsewhere. Beside the message they carry own enumerable
 * properties, which the transport (code/error-transport.ts) takes along.
 */

const BRAND = Symbol.for('furcate.error');

import { isRevoked } from './show.js';

export { isRevoked, REVOKED, refuseRevoked, show } from './show.js';

/** The name of the library's class that a prototype is of, of whatever copy of the library; undefined for any other prototype. */
export const brandOf = (prototype: object): string | undefined =>
  Object.getOwnPropertyDescriptor(prototype, BRAND)?.value;

/** Puts the brand and `name` on the prototype, as the built-in errors have it, so that `name` is not printed twice. */
function brand(Class: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(Class.prototype, BRAND, { value: name });
  Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
  Object.defineProperty(Class, 'is', {
    value: (value: unknown): boolean =>
      typeof value === 'object' &&
      value !== null &&
      !isRevoked(value) &&
      (value as { [BRAND]?: unknown })[BRAND] === name,
  });
}

/**
 * The pool does not take the work: the pool is closed or was terminated, or as many invocations wait as its `maxQueue` allows. Nothing of the
 * rejected work has run.
 */
export class RejectedExecutionError extends Error {
  declare static readonly is: (value: unknown) => value is RejectedExecutionError;
}

/** The standard's `ErrorOptions`, which the types of ES2020 lack. */
interface Caused {
  readonly cause?: unknown;
}

/**
 * Cause of a task's cancellation: its invocation's `signal`, `timeoutMs`, a throwing `onReport` (`'listener'`), or the end of
 * the pool by `terminate()` or a crash; the failure of the task that forked it (`'forker'`); or `cancel()`.
 */
export type CancellationReason =
  | 'signal'
  | 'timeout'
  | 'listener'
  | 'terminate'
  | 'crash'
  | 'forker'
  | 'race'
  | 'cancel';

/**
 * A task was cancelled before it finished; `reason` says by what. Where an `AbortSignal` did it, `name` is `'AbortError'`, as
 * that of the platform's own aborted operations, and `cause` is the signal's reason.
 */
export class CancellationError extends Error {
  readonly reason: CancellationReason;

  constructor(
    message = 'furcate: the task was cancelled.',
    options: Caused & { readonly reason?: CancellationReason | undefined } = {},
  ) {
    super(message, options);
    this.reason = options.reason ?? 'cancel';
    if (this.reason === 'signal') {
      Object.defineProperty(this, 'name', { value: 'AbortError', writable: true, configurable: true });
    }
  }

  declare static readonly is: (value: unknown) => value is CancellationError;
}

/**
 * A worker ended while it was needed: `process.exit` in a task, out of memory, an error outside of any task. Every
 * invocation in flight is rejected with it; the pool starts new workers.
 */
export class WorkerCrashError extends Error {
  /** The worker's exit code, where the platform tells one. */
  readonly exitCode: number | undefined;
  /** The task that the worker ran when it ended, as far as that is known. */
  readonly running: string | undefined;

  constructor(
    message: string,
    options: Caused & { readonly exitCode?: number | undefined; readonly running?: string | undefined } = {},
  ) {
    super(message, options);
    this.exitCode = options.exitCode;
    this.running = options.running;
  }

  declare static readonly is: (value: unknown) => value is WorkerCrashError;
}

/**
 * A value cannot cross threads with its meaning kept: a typed array that is not shared (writes would be lost), a
 * function in a field, a promise. The message names the field or argument and the cure.
 */
export class NotShareableError extends Error {
  /** Path to the value: `"context.xs"`, `"field 'cache' of Fib (at [0])"`; '' if the message alone tells it. */
  readonly path: string;

  constructor(message: string, options: Caused & { readonly path?: string | undefined } = {}) {
    super(message, options);
    this.path = options.path ?? '';
  }

  declare static readonly is: (value: unknown) => value is NotShareableError;
}

/**
 * A worker cannot find the code of a task: its class is not registered, its module cannot be imported, or registers
 * nothing of that name.
 */
export class TaskRegistrationError extends Error {
  declare static readonly is: (value: unknown) => value is TaskRegistrationError;
}

/** All of them by name, for the transport. */
export const OWN_ERRORS: Readonly<Record<string, new (...args: never) => Error>> = {
  RejectedExecutionError,
  CancellationError,
  WorkerCrashError,
  NotShareableError,
  TaskRegistrationError,
};

for (const [name, Class] of Object.entries(OWN_ERRORS)) brand(Class, name);
