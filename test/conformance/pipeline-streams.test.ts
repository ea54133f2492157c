/** Streams of Node and of the Web as sources and as writables of pipelines: back pressure, ends, and failures while nobody writes. */
import { EventEmitter, once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { type PipelineOptions, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../helpers/outcomes.js';
import { warmPools } from '../helpers/pools.js';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

const pools = warmPools(2);
const here = <T>(call: (given: PipelineOptions) => Promise<T>, given: PipelineOptions = {}): Promise<T> =>
  pools.use((pool) => call({ ...given, pool }));

describe('sources and writables', () => {
  const webStream = (n: number): ReadableStream<number> => {
    let i = 0;
    return new ReadableStream({
      pull(controller) {
        if (i < n) controller.enqueue(i++);
        else controller.close();
      },
    });
  };

  test.each<[string, () => Iterable<number> | AsyncIterable<number> | ReadableStream<number>]>([
    ['a set', () => new Set(upTo(5))],
    ['a Node stream', () => Readable.from(upTo(5))],
    ['a Web stream', () => webStream(5)],
    ['a Web stream that cannot be iterated', () => ({ getReader: () => webStream(5).getReader() }) as never],
  ])('%s is a source', async (_, source) => {
    expect(
      await here((all) =>
        pipeline(source() as Iterable<number>, all)
          .map((x) => x + 1)
          .toArray(),
      ),
    ).toEqual([1, 2, 3, 4, 5]);
  });

  test('a byte stream of the Web is a source: its chunks are items, which may be transferred, and it is cancelled or fails as others', async () => {
    let cancelled = 0;
    const byteStream = (n: number, failsAt = n): ReadableStream<Uint8Array> => {
      let i = 0;
      return new ReadableStream({
        type: 'bytes',
        pull(controller) {
          if (i === n) controller.close();
          else if (i === failsAt) controller.error(new Error('the line is dead'));
          else controller.enqueue(new Uint8Array([i++, i]));
        },
        cancel() {
          cancelled++;
        },
      });
    };
    const sums = (stream: ReadableStream<Uint8Array>, all: PipelineOptions) =>
      pipeline(stream, all).map(([a, b]) => (a as number) + (b as number), {
        transfer: (bytes) => [bytes.buffer],
      });
    const odd = upTo(40).map((x) => 2 * x + 1);
    expect(await here((all) => sums(byteStream(40), all).toArray())).toEqual(odd);
    const seen: number[] = [];
    const failing = here(async (all) => {
      for await (const x of sums(byteStream(40, 7), all)) seen.push(x);
    });
    expect(await errorOf(failing)).toMatchObject({ message: 'the line is dead' });
    expect(seen).toEqual(odd.slice(0, 7));
    expect(cancelled).toBe(0);
    expect(await here((all) => sums(byteStream(Number.POSITIVE_INFINITY), all).take(5).toArray())).toEqual(
      odd.slice(0, 5),
    );
    expect(cancelled).toBe(1);
  });

  test('a Node stream is destroyed when the run ends early', async () => {
    const stream = Readable.from(upTo(1000));
    await here(async (all) => {
      for await (const x of pipeline<number>(stream, all).map((x) => x)) if (x === 3) break;
    });
    expect(stream.destroyed).toBe(true);
  });

  test('a slow writable of Node stops the source', async () => {
    let read = 0;
    function* source(): Generator<number> {
      for (; read < 200; ) yield read++;
    }
    const written: number[] = [];
    const slow = new Writable({
      objectMode: true,
      highWaterMark: 2,
      write(x: number, _, done) {
        written.push(x);
        expect(read - written.length).toBeLessThanOrEqual(10 + 3);
        setImmediate(done);
      },
    });
    await here(
      (all) =>
        pipeline(source(), all)
          .map((x) => x)
          .pipeTo(slow),
      { inFlight: 10 },
    );
    expect(written).toEqual(upTo(200));
    expect(slow.writableFinished).toBe(true);
  });

  test('a writable of the Web takes items, and is closed unless that is unwanted', async () => {
    for (const preventClose of [false, true]) {
      const written: number[] = [];
      let isClosed = false;
      const stream = new WritableStream<number>({
        write: (x) => void written.push(x),
        close: () => {
          isClosed = true;
        },
      });
      await here((all) =>
        pipeline(upTo(50), all)
          .map((x) => x)
          .pipeTo(stream, { preventClose }),
      );
      expect(written).toEqual(upTo(50));
      expect(isClosed).toBe(!preventClose);
    }
  });

  test('a writable that fails ends the run with its error, and a run that fails destroys the writable', async () => {
    const failing = new Writable({ objectMode: true, write: (x, _, done) => done(x === 3 ? new Error('full') : null) });
    expect(
      await errorOf(
        here((all) =>
          pipeline(upTo(1000), all)
            .map((x) => x)
            .pipeTo(failing),
        ),
      ),
    ).toMatchObject({ message: 'full' });
    const fine = new Writable({ objectMode: true, write: (_x, _, done) => done() });
    fine.on('error', () => {});
    const bad = here((all) =>
      pipeline(upTo(9), all)
        .map((x) => Math.abs((x as never as { y: { z: number } }).y.z))
        .pipeTo(fine),
    );
    expect(await errorOf(bad)).toMatchObject({ name: 'TypeError' });
    expect(fine.destroyed).toBe(true);
  });
});

/** An item, and then nothing until the reader goes away. */
function silentSource(): { source: AsyncIterable<number>; readonly isClosed: boolean } {
  let isClosed = false;
  let given = false;
  const source: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (given) return new Promise(() => {});
        given = true;
        return Promise.resolve({ done: false, value: 1 });
      },
      return: () => {
        isClosed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return {
    source,
    get isClosed() {
      return isClosed;
    },
  };
}

/** Rows that are read one event-loop turn after the other; `end` is what their end does. */
async function* rows(end: () => Promise<void>): AsyncGenerator<number> {
  try {
    for (let i = 0; ; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      yield i;
    }
  } finally {
    await end();
  }
}

test('a source that is left has ended, and its error is heard, as of a loop over it', async () => {
  let hasEnded = false;
  const ends = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    hasEnded = true;
  };
  const leave = async (all: PipelineOptions, end: () => Promise<void>): Promise<void> => {
    let seen = 0;
    for await (const _ of pipeline(rows(end), all).map((x) => x)) if (++seen === 3) break;
  };
  await here((all) => leave(all, ends));
  expect(hasEnded).toBe(true);
  const fails = (): Promise<void> => Promise.reject(new Error('commit failed'));
  expect(await errorOf(here((all) => leave(all, fails)))).toMatchObject({ message: 'commit failed' });
  const taken = here((all) => pipeline(rows(fails), all).take(3).toArray());
  expect(await errorOf(taken)).toMatchObject({ message: 'commit failed' });
});

test('a source that does not end holds a run that was cancelled for its grace', async () => {
  const controller = new AbortController();
  const made = here(
    async (all) => {
      for await (const _ of pipeline(
        rows(() => new Promise(() => {})),
        all,
      ).map((x) => x))
        controller.abort();
    },
    { signal: controller.signal, graceMs: 20, inFlight: 1 },
  );
  expect(await errorOf(made)).toMatchObject({ name: 'AbortError' });
});

const nodeStream = (write: (x: unknown, done: (error?: Error | null) => void) => void, size = 1): Writable =>
  new Writable({ objectMode: true, highWaterMark: size, write: (x, _, done) => write(x, done) });

describe('a pipeline that writes', () => {
  test.each<[string, () => Writable | WritableStream]>([
    ['a Node stream that never drains', () => nodeStream(() => {})],
    [
      'a Node stream that never finishes',
      () => new Writable({ objectMode: true, write: (_, __, done) => done(), final: () => {} }),
    ],
    ['a Web stream whose write never settles', () => new WritableStream({ write: () => new Promise(() => {}) })],
    ['a Web stream whose close never settles', () => new WritableStream({ close: () => new Promise(() => {}) })],
  ])('is cancelled while it waits for %s', async (_, make) => {
    const stream = make();
    if (stream instanceof Writable) stream.on('error', () => {});
    const controller = new AbortController();
    const written = here((all) => pipeline(upTo(3), all).pipeTo(stream as Writable), { signal: controller.signal });
    setImmediate(() => setImmediate(() => controller.abort()));
    expect(await errorOf(written)).toMatchObject({ name: 'AbortError' });
    if (stream instanceof Writable) {
      expect(stream.destroyed).toBe(true);
      expect(['drain', 'finish'].map((name) => stream.listenerCount(name))).toEqual([0, 0]);
    }
    const late = here((all) => pipeline(upTo(3), all).pipeTo(make() as Writable), { timeoutMs: 30 });
    expect(await errorOf(late)).toMatchObject({ reason: 'timeout' });
  });

  test.each<[string, () => [Writable | WritableStream, fail: () => void], RegExp]>([
    [
      'a Node stream that fails',
      () => {
        const stream = nodeStream((_, done) => done());
        return [stream, () => stream.destroy(new Error('full'))];
      },
      /full/,
    ],
    [
      'a Node stream that is closed',
      () => {
        const stream = nodeStream((_, done) => done());
        return [stream, () => stream.destroy()];
      },
      /furcate: the stream that a pipeline writes to was closed/,
    ],
    [
      'a Web stream that fails',
      () => {
        let fail = (): void => {};
        const start = (controller: WritableStreamDefaultController): void => {
          fail = () => controller.error(new Error('full'));
        };
        return [new WritableStream({ start }, { highWaterMark: 5 }), () => fail()];
      },
      /full/,
    ],
  ])('hears of %s while its source gives nothing', async (_, make, message) => {
    const [stream, fail] = make();
    const given = silentSource();
    const written = here((all) => pipeline(given.source, all).pipeTo(stream as Writable));
    setImmediate(() => setImmediate(fail));
    expect(String(await errorOf(written))).toMatch(message);
    expect(given.isClosed).toBe(true);
  });

  test('resolves when all is written, also if the stream stays open', async () => {
    const written: unknown[] = [];
    const slow = nodeStream((x, done) => setImmediate(() => done(void written.push(x) as never)), 16);
    await here((all) => pipeline(upTo(5), all).pipeTo(slow, { preventClose: true }));
    expect(written).toEqual(upTo(5));
    expect(slow.writableEnded).toBe(false);
    const failing = nodeStream((x, done) => setImmediate(() => done(x === 4 ? new Error('full') : null)), 16);
    const failed = here((all) => pipeline(upTo(5), all).pipeTo(failing, { preventClose: true }));
    expect(await errorOf(failed)).toMatchObject({ message: 'full' });
  });

  test('refuses a stream that has ended or was destroyed', async () => {
    const ended = new Writable({ autoDestroy: false, write: (_, __, done) => done() });
    ended.on('error', () => {});
    ended.end();
    await once(ended, 'finish');
    expect(await errorOf(here((all) => pipeline([], all).pipeTo(ended)))).toMatchObject({
      code: 'ERR_STREAM_ALREADY_FINISHED',
    });
    const destroyed = nodeStream(() => {}).destroy();
    expect(String(await errorOf(here((all) => pipeline([1], all).pipeTo(destroyed))))).toMatch(
      /furcate: the stream that a pipeline writes to was closed/,
    );
  });

  test('stops for a stream that says so by what `write` returns alone', async () => {
    let read = 0;
    function* source(): Generator<number> {
      for (; read < 100; ) yield read++;
    }
    class Plain extends EventEmitter {
      written = 0;
      write(_: unknown, onWritten?: () => void): boolean {
        this.written++;
        setImmediate(() => {
          onWritten?.();
          this.emit('drain');
        });
        expect(read - this.written).toBeLessThanOrEqual(4);
        return false;
      }
      end(onEnd?: () => void): void {
        onEnd?.();
      }
      destroy(): void {}
    }
    const stream = new Plain();
    await here((all) => pipeline(source(), all).pipeTo(stream), { inFlight: 3 });
    expect(stream.written).toBe(100);
  });

  test('fails with the error of the stream, though its source fails when it is closed', async () => {
    const source: Iterable<number> = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: 1 }),
        return() {
          throw new Error('cannot be closed');
        },
      }),
    };
    const failing = nodeStream((_, done) => done(new Error('full')));
    expect(await errorOf(here((all) => pipeline(source, all).pipeTo(failing)))).toMatchObject({ message: 'full' });
  });
});
