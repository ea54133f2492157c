// The tasks of the cases, for a module of either format.
module.exports = (url, furcate) => {
  const { asyncForkable, forkable, fork, join, RecursiveTask, registerClass, registerError, report } = furcate;

  class Vec {
    constructor(x, y) {
      this.x = x;
      this.y = y;
    }
    get length() {
      return Math.hypot(this.x, this.y);
    }
  }
  registerClass(url, 'Vec', Vec);

  class ParseError extends SyntaxError {
    constructor(message, line, options) {
      super(message, options);
      this.line = line;
    }
  }
  registerError(url, 'ParseError', ParseError);

  class Sum extends RecursiveTask {
    constructor(xs, lo, hi) {
      super();
      this.xs = xs;
      this.lo = lo;
      this.hi = hi;
    }
    compute() {
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

  const echo = forkable(url, 'echo', (value) => value);
  const double = forkable(url, 'double', (x) => 2 * x);
  return {
    Vec,
    ParseError,
    Sum,
    echo,
    double,
    forksEcho: forkable(url, 'forksEcho', (value) => join(fork(echo, value))),
    fails: forkable(url, 'fails', (name) => {
      throw ERRORS[name]();
    }),
    throwsObject: forkable(url, 'throwsObject', () => {
      throw { code: [5] };
    }),
    bytes: forkable(url, 'bytes', () => ({
      doubles: new Float64Array([1, 2]),
      buffer: new Uint8Array([1, 2, 3]).buffer,
      view: new DataView(new Uint8Array([4, 5]).buffer),
    })),
    isHere: forkable(url, 'isHere', (value, name) => value instanceof globalThis[name]),
    reports: forkable(url, 'reports', (values) => {
      for (const value of values) report(value);
      return values.length;
    }),
    sleeps: asyncForkable(url, 'sleeps', async (scope) => {
      await new Promise((resolve) => scope.signal.addEventListener('abort', resolve));
    }),
    asynchronous: asyncForkable(url, 'asynchronous', (scope, values) =>
      scope.joinAll(values.map((value) => scope.fork(echo, value))),
    ),
  };
};
