/** What can only be transferred, such as ports and canvases, goes to the worker that runs the task it is for. */
import {
  type AsyncForkable,
  type Executor,
  type Forkable,
  ForkJoinPool,
  parallelMap,
  SequentialExecutor,
  task,
} from 'furcate';
import { pipeline } from 'furcate/flows';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from '../helpers/executors.js';

const { answers, sendsPort, listens, keeps, paints } = await fixture<{
  answers: Forkable<[value: { port: MessagePort }, answer: string], string>;
  sendsPort: Forkable<[port: MessagePort], null>;
  listens: AsyncForkable<[port: MessagePort], string>;
  keeps: Forkable<[port: MessagePort], object>;
  paints: Forkable<[canvas: object], number[]>;
}>('transferring.mjs');

const cold = (): Executor => new ForkJoinPool({ parallelism: 2 });
const warm = new ForkJoinPool({ parallelism: 2 });
const checked = new ForkJoinPool({ parallelism: 2, checked: true });
const sequential = new SequentialExecutor();
afterAll(() => Promise.all([warm.close(), checked.close(), sequential.close()]));

/** Ports that hear: a browser may collect one whose other end was closed, with the messages that it has not delivered. */
const hearing = new Set<MessagePort>();

/** The next message at a port. */
const heard = <T>(port: MessagePort): Promise<T> =>
  new Promise((resolve) => {
    hearing.add(port);
    port.onmessage = ({ data }) => {
      hearing.delete(port);
      resolve(data);
    };
  });

/** A port, and what the other end of its channel hears. */
function line(): { readonly port: MessagePort; readonly answer: Promise<string> } {
  const { port1, port2 } = new MessageChannel();
  const answer = heard<string>(port1);
  return { port: port2, answer: answer.finally(() => port1.close()) };
}

const pools: [name: string, pool: () => Executor][] = [
  ['a pool that starts', cold],
  ['a warm pool', () => warm],
  ['a checked pool', () => checked],
  ['a sequential executor', () => sequential],
];

describe.each(pools)('%s', (name, poolOf) => {
  const use = async (body: (pool: Executor) => Promise<void>): Promise<void> => {
    const pool = poolOf();
    await body(pool);
    if (name === 'a pool that starts') await pool.close();
  };

  test('an argument takes a port to its task', () =>
    use(async (pool) => {
      const { port, answer } = line();
      expect(await pool.with({ transfer: [port] }).invoke(answers, { port }, 'hello')).toBe('posted');
      expect(await answer).toBe('hello');
    }));

  test('tasks in flight beside each other have ports of their own', () =>
    use(async (pool) => {
      const lines = Array.from({ length: 20 }, line);
      const calls = lines.map(({ port }, k) => pool.with({ transfer: [port] }).invoke(answers, { port }, `${k}`));
      expect(await Promise.all(lines.map(({ answer }) => answer))).toEqual(lines.map((_, k) => `${k}`));
      await Promise.all(calls);
    }));

  test('an asynchronous task hears what is sent to its port', () =>
    use(async (pool) => {
      const { port1, port2 } = new MessageChannel();
      const call = pool.with({ transfer: [port2] }).invoke(listens, port2);
      port1.postMessage('to the task');
      expect(await call).toBe('to the task');
      port1.close();
    }));

  test('plain values take ports along, several in a value and in many', () =>
    use(async (pool) => {
      const values = Array.from({ length: 30 }, (_, k) => ({ k, ends: [line(), line()] }));
      const given = values.map(({ k, ends: [{ port: first }, { port: second }] }) => ({ k, first, second }));
      const doubled = await parallelMap(
        given,
        ({ k, first, second }) => {
          first.postMessage(`first ${k}`);
          second.postMessage(`second ${k}`);
          first.close();
          second.close();
          return 2 * k;
        },
        { pool, transfer: ({ first, second }) => [first, second] },
      );
      expect(doubled).toEqual(values.map(({ k }) => 2 * k));
      for (const { k, ends } of values)
        expect(await Promise.all(ends.map(({ answer }) => answer))).toEqual([`first ${k}`, `second ${k}`]);
    }));

  test('stages of pipelines take them along', () =>
    use(async (pool) => {
      const lines = Array.from({ length: 6 }, line);
      const sent = await pipeline(
        lines.map(({ port }) => port),
        { pool },
      )
        .map(
          (port) => {
            port.postMessage('from a stage');
            port.close();
            return 1;
          },
          { transfer: (port) => [port] },
        )
        .toArray();
      expect(sent).toEqual([1, 1, 1, 1, 1, 1]);
      expect(new Set(await Promise.all(lines.map(({ answer }) => answer)))).toEqual(new Set(['from a stage']));
    }));

  test('a task sends what it has made through a port', () =>
    use(async (pool) => {
      const { port1, port2 } = new MessageChannel();
      const sent = heard<MessagePort>(port1);
      await pool.with({ transfer: [port2] }).invoke(sendsPort, port2);
      const port = await sent;
      expect(await heard(port)).toBe('from a port of the worker');
      port.close();
      port1.close();
    }));

  test('a canvas is painted where its task runs', () =>
    use(async (pool) => {
      const { OffscreenCanvas } = globalThis as { OffscreenCanvas?: new (width: number, height: number) => object };
      if (OffscreenCanvas === undefined) return expect('document' in globalThis).toBe(false);
      const [one, other] = [new OffscreenCanvas(2, 2), new OffscreenCanvas(3, 3)];
      expect(await pool.with({ transfer: [one] }).invoke(paints, one)).toEqual([1, 2, 3, 255]);
      const widths = await parallelMap([{ canvas: other as { width: number } }], ({ canvas }) => canvas.width, {
        pool,
        transfer: ({ canvas }) => [canvas],
      });
      expect(widths).toEqual([3]);
    }));

  test('what was transferred before is refused by name', () =>
    use(async (pool) => {
      const { port, answer } = line();
      const options = { pool, transfer: ({ port }: { port: MessagePort }) => [port] };
      const use = ({ port }: { port: MessagePort }): void => {
        port.postMessage('once');
        port.close();
      };
      await parallelMap([{ port }], use, options);
      expect(await answer).toBe('once');
      await expect(parallelMap([{ port }], use, options)).rejects.toThrow(
        /furcate: a MessagePort cannot be transferred: .* An object can be transferred once/,
      );
    }));
});

describe('each error names the cure', () => {
  test('for an argument', async () => {
    const { port } = line();
    await expect(warm.invoke(answers, { port }, '')).rejects.toThrow(
      /argument 1 of answers \(at \.port\) is a MessagePort, which can only be transferred, .*pool\.with\(\{ transfer: \[value\] \}\)/,
    );
    port.close();
  });

  test('for a plain value', async () => {
    const { port } = line();
    await expect(parallelMap([{ port }], () => 1, { pool: warm })).rejects.toThrow(
      /is a MessagePort, which can only be transferred, .*Name it in what the option transfer returns/,
    );
    port.close();
  });

  test('for results of tasks and of functions over plain values', async () => {
    const { port, answer } = line();
    await expect(warm.with({ transfer: [port] }).invoke(keeps, port)).rejects.toThrow(
      /is a MessagePort, which can only be transferred, .*through a port/,
    );
    await expect(parallelMap([1, 2], () => new MessageChannel().port1, { pool: warm })).rejects.toThrow(
      /is a MessagePort, which can only be transferred, .*through a port/,
    );
    void answer;
  });

  test('for a context, which all workers get', async () => {
    const { port } = line();
    await expect(parallelMap([1], () => 1, { pool: warm, context: { port } })).rejects.toThrow(
      /context\.port is a MessagePort, which .*transfer/,
    );
    port.close();
  });

  test('for what is no such object, and for buffers of arguments, which are shared', async () => {
    expect(() => warm.with({ transfer: [{}] })).toThrow(/transfer must be an array of ports, canvases.* has /);
    expect(() => warm.with({ transfer: new ArrayBuffer(1) as never })).toThrow(/pass a sharedArray\(\)/);
    expect(() => warm.with({ transfer: [new ArrayBuffer(1)] })).toThrow(/pass a sharedArray\(\)/);
    await expect(parallelMap([{}], () => 1, { pool: warm, transfer: (value) => [value] })).rejects.toThrow(
      /must return an array of ArrayBuffers, ports, canvases or the like/,
    );
    const { port } = line();
    await expect(warm.invokeAny([task(listens, port)], { transfer: [port] })).rejects.toThrow(/invokeAny.*transfer/);
    port.close();
  });
});
