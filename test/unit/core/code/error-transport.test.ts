import vm from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { openData, packError } from '../../../../src/core/code/data-copy.js';
import { registerError } from '../../../../src/core/code/registry.js';
import {
  CancellationError,
  NotShareableError,
  RejectedExecutionError,
  TaskRegistrationError,
  WorkerCrashError,
} from '../../../../src/core/errors.js';

const URL_A = 'file:///app/error-transport-test.js';
/** As to another thread and back. */
const cross = <T>(thrown: T): T => openData(structuredClone(packError(thrown))) as T;

describe('an error that crosses threads', () => {
  test.each([Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError])(
    'keeps its built-in class: %o',
    (Class) => {
      const error = cross(new Class('text'));
      expect(Object.getPrototypeOf(error)).toBe(Class.prototype);
      expect(error.message).toBe('text');
      expect(error.name).toBe(Class.name);
      expect(Object.prototype.toString.call(error)).toBe('[object Error]');
      expect(Object.hasOwn(error, 'name')).toBe(false);
      expect(Object.keys(error)).toEqual([]);
    },
  );

  test('keeps the stack of the worker', () => {
    const error = new Error('boom');
    expect(cross(error).stack).toBe(error.stack);
    expect(Object.keys(cross(error))).toEqual([]);
  });

  test('has no message of its own where it had none', () => {
    expect(Object.hasOwn(cross(new Error()), 'message')).toBe(false);
    expect(cross(new Error()).message).toBe('');
  });

  test('keeps what an AggregateError holds', () => {
    const error = cross(new AggregateError([new RangeError('a'), 'b', 3], 'several'));
    expect(error).toBeInstanceOf(AggregateError);
    expect(error.message).toBe('several');
    expect(error.errors).toHaveLength(3);
    expect(error.errors[0]).toBeInstanceOf(RangeError);
    expect(error.errors.slice(1)).toEqual(['b', 3]);
    expect(Object.keys(error)).toEqual([]);
  });

  test('keeps a DOMException with its name and code', () => {
    const error = cross(new DOMException('stopped', 'AbortError'));
    expect(error).toBeInstanceOf(DOMException);
    expect([error.name, error.code, error.message]).toEqual(['AbortError', 20, 'stopped']);
    expect(cross(AbortSignal.abort().reason)).toMatchObject({ name: 'AbortError' });
  });

  test("keeps the library's own classes and what they carry", () => {
    const crash = cross(new WorkerCrashError('gone', { exitCode: 7, running: 'Fib' }));
    expect(crash).toBeInstanceOf(WorkerCrashError);
    expect([crash.exitCode, crash.running, crash.name]).toEqual([7, 'Fib', 'WorkerCrashError']);
    expect(cross(new NotShareableError('no', { path: 'context.xs' }))).toMatchObject({ path: 'context.xs' });
    expect(TaskRegistrationError.is(cross(new TaskRegistrationError('no')))).toBe(true);
    expect(RejectedExecutionError.is(cross(new RejectedExecutionError('no')))).toBe(true);
    const aborted = cross(new CancellationError('no', { reason: 'signal', cause: 'left' }));
    expect([CancellationError.is(aborted), aborted.name, aborted.cause]).toEqual([true, 'AbortError', 'left']);
    expect({ ...aborted }).toEqual({ reason: 'signal' });
  });

  test('keeps a registered class, whose constructor does not run', () => {
    let made = 0;
    class ParseError extends SyntaxError {
      readonly line: number;
      constructor(line: number) {
        super(`in line ${line}`);
        made++;
        this.line = line;
      }
      get place(): string {
        return `line ${this.line}`;
      }
    }
    registerError(URL_A, 'ParseError', ParseError);
    const error = cross(new ParseError(12));
    expect(made).toBe(1);
    expect(error).toBeInstanceOf(ParseError);
    expect([error.line, error.place, error.message]).toEqual([12, 'line 12', 'in line 12']);
    class Deeper extends ParseError {}
    const deeper = cross(new Deeper(1));
    expect(Object.getPrototypeOf(deeper)).toBe(ParseError.prototype);
  });

  test('finds a class by its name alone where the bundle gave it another URL, if it is the only one', () => {
    class OnlyHere extends Error {}
    registerError(URL_A, 'OnlyHere', OnlyHere);
    const packed = JSON.parse(JSON.stringify(packError(new OnlyHere('x'))).replaceAll(URL_A, 'file:///build/x.ts'));
    expect(openData(packed)).toBeInstanceOf(OnlyHere);
    registerError('file:///app/other.js', 'OnlyHere', class extends Error {});
    const fallback = openData(packed) as Error;
    expect(Object.getPrototypeOf(fallback)).toBe(Error.prototype);
  });

  test('comes back as its built-in base, with its name, where the class is not registered', () => {
    class Named extends RangeError {
      override name = 'Named';
    }
    class Quiet extends RangeError {}
    Object.defineProperty(Quiet.prototype, 'name', { value: 'Quiet' });
    for (const error of [cross(new Named('x')), cross(new Quiet('x'))]) {
      expect(Object.getPrototypeOf(error)).toBe(RangeError.prototype);
    }
    expect(cross(new Named('x'))).toMatchObject({ name: 'Named' });
    expect(Object.keys(cross(new Named('x')))).toEqual(['name']);
    expect(cross(new Quiet('x')).name).toBe('Quiet');
    expect(Object.keys(cross(new Quiet('x')))).toEqual([]);
  });

  test('keeps its cause, of any kind and depth, and does not invent one', () => {
    const error = cross(new Error('a', { cause: new TypeError('b', { cause: { code: 5 } }) }));
    expect(error.cause).toBeInstanceOf(TypeError);
    expect((error.cause as Error).cause).toEqual({ code: 5 });
    expect(Object.keys(error)).toEqual([]);
    expect('cause' in cross(new Error('a'))).toBe(false);
    expect(Object.hasOwn(cross(new Error('a', { cause: undefined })), 'cause')).toBe(true);
  });

  test('may be its own cause, and hold errors that hold it', () => {
    const error = Object.assign(new Error('a'), { list: [] as unknown[] });
    error.cause = error;
    error.list = [new AggregateError([error], 'b')];
    const back = cross(error);
    expect(back.cause).toBe(back);
    expect((back.list[0] as AggregateError).errors[0]).toBe(back);
  });

  test('keeps what its engine says of its place without showing it, as JavaScriptCore does by `line`', async () => {
    const { Error: BuiltIn } = globalThis;
    class ErrorWithLine extends BuiltIn {
      constructor(...args: ConstructorParameters<ErrorConstructor>) {
        super(...args);
        Object.defineProperty(this, 'line', { value: 1, writable: true, configurable: true });
      }
    }
    globalThis.Error = ErrorWithLine as never;
    vi.resetModules();
    try {
      const there = await import('../../../../src/core/code/data-copy.js');
      const parsed = Object.assign(new ErrorWithLine('unexpected }'), { line: 12 });
      const error = there.openData(structuredClone(there.packError(parsed)));
      expect(Object.getOwnPropertyDescriptor(error, 'line')).toMatchObject({ value: 12, enumerable: false });
    } finally {
      globalThis.Error = BuiltIn;
    }
  });

  test('keeps own properties that are data, and drops the rest', () => {
    const fields = {
      code: 'E_FAIL',
      detail: { list: [1, new Map([['a', 2n]])], f: (): number => 1 },
      bytes: new Uint8Array([1, 2]),
      buffer: new Uint8Array([3]).buffer,
      f: (): number => 1,
      s: Symbol('x'),
      p: Promise.resolve(1),
    };
    const error = cross(Object.assign(new Error('x'), fields)) as Error & typeof fields;
    expect(Object.keys(error)).toEqual(['code', 'detail', 'bytes', 'buffer']);
    expect(error).toMatchObject({
      code: 'E_FAIL',
      detail: { list: [1, new Map([['a', 2n]])] },
      bytes: new Uint8Array([1, 2]),
    });
    expect(Object.keys(error.detail)).toEqual(['list']);
  });

  test('keeps views on shared memory shared', () => {
    const xs = new Int32Array(new SharedArrayBuffer(8));
    const error = openData(packError(Object.assign(new Error('x'), { xs }))) as Error & { xs: Int32Array };
    expect(error.xs).toBe(xs);
  });

  test('survives getters that throw, and restores what a class would compute', () => {
    const error = new Error('x');
    Object.defineProperty(error, 'bad', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    Object.defineProperty(error, 'nested', {
      enumerable: true,
      value: {
        get bad() {
          throw new Error('no');
        },
      },
    });
    Object.defineProperty(error, 'fine', { enumerable: true, get: () => 4 });
    expect(Object.entries(cross(error))).toEqual([
      ['bad', undefined],
      ['fine', 4],
    ]);
    const noStack = new Error('x');
    Object.defineProperty(noStack, 'stack', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(cross(noStack).message).toBe('x');
  });

  test('is known from another realm, and when it only inherits from Error', () => {
    const external = cross(vm.runInNewContext('new RangeError("far")') as Error);
    expect(Object.getPrototypeOf(external)).toBe(RangeError.prototype);
    const old = cross(Object.assign(Object.create(TypeError.prototype) as Error, { message: 'old style' }));
    expect(old).toBeInstanceOf(TypeError);
    expect(old.message).toBe('old style');
  });

  test('does not bring a class that only calls itself like a built-in', () => {
    const Fake = new Function('return class TypeError extends Error {}')() as typeof Error;
    expect(Object.getPrototypeOf(cross(new Fake('x')))).toBe(Error.prototype);
  });

  test('arrives from the deepest chains, cut off if need be', () => {
    let error = new Error('innermost');
    for (let i = 0; i < 20_000; i++) error = new Error(`${i}`, { cause: error });
    expect((openData(packError(error)) as Error).message).toBe('19999');
  });
});

describe('what is thrown and is no error', () => {
  test.each(['text', 0, undefined, null, 12n, Number.NaN, { code: 5, list: [1] }, [1, 2]])(
    'comes back as it is: %o',
    (value) => {
      expect(cross(value)).toEqual(value);
    },
  );

  test('may hold errors', () => {
    const back = cross({ error: new RangeError('x'), also: [new TypeError('y')] });
    expect(back.error).toBeInstanceOf(RangeError);
    expect(back.also[0]).toBeInstanceOf(TypeError);
  });

  test('is reported as what it is where it cannot leave its worker', () => {
    for (const [value, shown] of [
      [() => 1, 'function'],
      [Symbol('x'), 'symbol'],
      [Promise.resolve(), 'value'],
    ] as const) {
      const back = cross<unknown>(value);
      expect(back).toBeInstanceOf(TypeError);
      expect((back as Error).message).toContain(`threw a ${shown} that cannot leave its worker`);
    }
  });
});
