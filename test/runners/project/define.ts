// The tasks of the cases, for a module of either format. The runner compiles it for the test, furcate/tsx for the workers.
import type * as library from 'furcate';

/** `any`: what is tested is what crosses, not its type. */
type Loose = ReturnType<typeof JSON.parse>;

/** Makes the tasks of the module at that URL. */
export const define = (url: string, furcate: typeof library) => {
  const { asyncForkable, forkable, fork, join, RecursiveTask, registerClass, registerError, report } = furcate;

  class Vec {
    x: number;
    y: number;
    constructor(x: number, y: number) {
      this.x = x;
      this.y = y;
    }
    get length(): number {
      return Math.hypot(this.x, this.y);
    }
  }
  registerClass(url, 'Vec', Vec);

  class ParseError extends SyntaxError {
    line: number;
    constructor(message: string, line: number, options?: ErrorOptions) {
      super(message, options);
      this.line = line;
    }
  }
  registerError(url, 'ParseError', ParseError);

  class Sum extends RecursiveTask<number> {
    xs: Float64Array;
    lo: number;
    hi: number;
    constructor(xs: Float64Array, lo: number, hi: number) {
      super();
      this.xs = xs;
      this.lo = lo;
      this.hi = hi;
    }
    compute(): number {
      const { xs, lo, hi } = this;
      if (hi - lo <= 2) return xs.subarray(lo, hi).reduce((a, b) => a + b, 0);
      const mid = (lo + hi) >> 1;
      const left = new Sum(xs, lo, mid).fork();
      return new Sum(xs, mid, hi).compute() + left.join();
    }
  }
  Sum.register(url, 'Sum');

  const ERRORS = {
    Error: () => new Error('plain'),
    TypeError: () => new TypeError('a type'),
    RangeError: () => new RangeError('a range'),
    SyntaxError: () => new SyntaxError('a syntax'),
    AggregateError: () => new AggregateError([new TypeError('one'), { two: [2] }], 'several'),
    ParseError: () =>
      Object.assign(new ParseError('unexpected }', 12, { cause: new URIError('deep', { cause: [new Vec(3, 4)] }) }), {
        tags: ['a', new Map([[1, new Date(0)]])],
      }),
    DOMException: () => new DOMException('gone', 'NotFoundError'),
  };

  const echo = forkable(url, 'echo', (value: Loose): Loose => value);
  const double = forkable(url, 'double', (x: number): number => 2 * x);
  return {
    Vec,
    ParseError,
    Sum,
    echo,
    double,
    forksEcho: forkable(url, 'forksEcho', (value: Loose): Loose => join(fork(echo, value))),
    fails: forkable(url, 'fails', (name: keyof typeof ERRORS): never => {
      throw ERRORS[name]();
    }),
    throwsObject: forkable(url, 'throwsObject', (): never => {
      throw { code: [5] };
    }),
    bytes: forkable(
      url,
      'bytes',
      (): Loose => ({
        doubles: new Float64Array([1, 2]),
        buffer: new Uint8Array([1, 2, 3]).buffer,
        view: new DataView(new Uint8Array([4, 5]).buffer),
      }),
    ),
    isHere: forkable(url, 'isHere', (value: unknown, name: 'Map') => value instanceof globalThis[name]),
    reports: forkable(url, 'reports', (values: readonly unknown[]) => {
      for (const value of values) report(value);
      return values.length;
    }),
    sleeps: asyncForkable(url, 'sleeps', async (scope) => {
      await new Promise((resolve) => scope.signal.addEventListener('abort', resolve));
    }),
    asynchronous: asyncForkable(url, 'asynchronous', (scope: library.Scope, values: readonly unknown[]) =>
      scope.joinAll(values.map((value) => scope.fork(echo, value))),
    ),
  };
};
