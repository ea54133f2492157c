import { describe, expect, test } from 'vitest';
import {
  CancellationError,
  NotShareableError,
  OWN_ERRORS,
  RejectedExecutionError,
  TaskRegistrationError,
  WorkerCrashError,
} from '../../../src/core/errors.js';

describe('the errors of the library', () => {
  test.each(Object.entries(OWN_ERRORS))('%s is an Error with that name, on its prototype', (name, Class) => {
    const error = Reflect.construct(Class, ['text']) as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(Object.keys(error)).not.toContain('name');
    expect(error.message).toBe('text');
    expect(String(error)).toBe(`${name}: text`);
  });

  test('know each other by brand, over copies of the library', () => {
    class CancellationErrorOfAnotherCopy extends Error {}
    Object.defineProperty(CancellationErrorOfAnotherCopy.prototype, Symbol.for('furcate.error'), {
      value: 'CancellationError',
    });
    expect(CancellationError.is(new CancellationErrorOfAnotherCopy())).toBe(true);
    expect(CancellationError.is(new CancellationError())).toBe(true);
    expect(CancellationError.is(new RejectedExecutionError('closed'))).toBe(false);
    expect(CancellationError.is(new Error('x'))).toBe(false);
    for (const value of [undefined, null, 'CancellationError', 1]) expect(CancellationError.is(value)).toBe(false);
    expect(RejectedExecutionError.is(new RejectedExecutionError('closed'))).toBe(true);
    expect(WorkerCrashError.is(new WorkerCrashError('gone'))).toBe(true);
    expect(NotShareableError.is(new NotShareableError('no'))).toBe(true);
    expect(TaskRegistrationError.is(new TaskRegistrationError('no'))).toBe(true);
  });

  test('a cancellation by a signal is an AbortError with the reason as its cause', () => {
    const reason = { why: 'the user left' };
    const error = new CancellationError('stopped', { reason: 'signal', cause: reason });
    expect(error.name).toBe('AbortError');
    expect(Object.keys(error)).toEqual(['reason']);
    expect(error.cause).toBe(reason);
    expect(CancellationError.is(error)).toBe(true);
    expect(new CancellationError().name).toBe('CancellationError');
  });

  test('carry what happened', () => {
    expect(new WorkerCrashError('gone', { exitCode: 3, running: 'Fib' })).toMatchObject({
      exitCode: 3,
      running: 'Fib',
    });
    expect(new WorkerCrashError('gone')).toMatchObject({ exitCode: undefined, running: undefined });
    expect(new NotShareableError('no', { path: 'context.xs' }).path).toBe('context.xs');
    expect('cause' in new NotShareableError('no')).toBe(false);
    expect(new NotShareableError('no', { cause: undefined })).toHaveProperty('cause', undefined);
  });
});
