/** Pipelines into writables of Node and of the Web: back pressure, ends, and failures while nobody writes. */
import { EventEmitter, once } from 'node:events';
import { Writable } from 'node:stream';
import { type PipelineOptions, pipeline } from 'furcate/flows';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../helpers/outcomes.js';
import { warmPools } from '../helpers/pools.js';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

const pools = warmPools(2);
const here = <T>(call: (given: PipelineOptions) => Promise<T>, given: PipelineOptions = {}): Promise<T> =>
  pools.use((pool) => call({ ...given, pool }));

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
    if (stream instanceof Writable) expect(stream.destroyed).toBe(true);
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
