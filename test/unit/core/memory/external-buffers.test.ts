import { beforeEach, describe, expect, test, vi } from 'vitest';
import { collectSomeTimes, collectUntil } from '../../../helpers/garbage.js';

type External = typeof import('../../../../src/core/memory/external-buffers.js');

/** A thread's own table of buffers. */
async function newThread(): Promise<External> {
  vi.resetModules();
  return import('../../../../src/core/memory/external-buffers.js');
}

const buffer = (): SharedArrayBuffer => new SharedArrayBuffer(8);

describe('an owner of pools and a worker', () => {
  let owner: External;
  let worker: External;
  /** Messages on their way. */
  let posted: [id: number, buffer: object | undefined][];
  const take = (): void => {
    for (const message of posted.splice(0)) worker.acceptExternal(...message);
  };

  beforeEach(async () => {
    owner = await newThread();
    worker = await newThread();
    posted = [];
    owner.setShareBuffer((...message) => posted.push(message));
  });

  test('a worker takes what has arrived as soon as it looks for a buffer that it lacks', () => {
    worker.startExternal(owner.knownExternal(), take);
    const sharedId = [buffer(), buffer()].map((each) => [owner.externalId(each) as number, each] as const);
    expect(worker.lastExternal()).toBe(0);
    expect(worker.externalArrived(owner.lastExternal())).toBe(true);
    for (const [id, each] of sharedId) expect(worker.externalBuffer(id)).toBe(each);
    const [late, third] = [buffer(), owner.lastExternal() + 1];
    expect(owner.externalId(late)).toBe(third);
    expect(worker.externalBuffer(third)).toBe(late); // nobody had asked whether it had arrived
  });

  test('a worker that starts later knows as many buffers as its owner, though some are gone', () => {
    owner.externalId(buffer());
    const { last, live } = owner.knownExternal();
    expect([last, live.length]).toEqual([1, 1]);
    worker.startExternal({ last, live: [] }, take); // as if it had been collected
    expect(worker.externalArrived(owner.lastExternal())).toBe(true);
    expect(() => worker.externalBuffer(1)).toThrow('furcate: shared buffer 1 was dropped by the thread that made it.');
  });

  test('a buffer whose message has not come is told from one that is gone', () => {
    worker.startExternal(owner.knownExternal(), () => {});
    owner.externalId(buffer());
    expect(worker.externalArrived(owner.lastExternal())).toBe(false);
    expect(() => worker.externalBuffer(1)).toThrow('furcate: shared buffer 1 has not reached this worker yet.');
  });

  test('a worker passes on what it was given, and shares no new buffer', () => {
    worker.startExternal(owner.knownExternal(), take);
    const given = buffer();
    const id = owner.externalId(given);
    take();
    expect(worker.externalId(given)).toBe(id);
    expect(worker.externalId(buffer())).toBeUndefined();
  });

  test('a worker lets go of buffers that their owner has dropped, and passes on those that its own code has kept', async () => {
    owner.setShareBuffer((id, each) => posted.push([id, structuredClone(each)])); // each thread has an object of its own
    worker.startExternal(owner.knownExternal(), take);
    for (let k = 0; k < 2; k++) owner.externalId(buffer());
    take();
    const kept = worker.externalBuffer(1);
    expect(await collectUntil(() => posted.length === 2)).toBe(true);
    expect(owner.knownExternal()).toEqual({ last: 2, live: [] });
    take();
    await collectSomeTimes();
    expect(() => worker.externalBuffer(2)).toThrow('furcate: shared buffer 2 was dropped by the thread that made it.');
    expect(worker.externalId(kept)).toBe(1);
    expect(worker.externalBuffer(1)).toBe(kept);
  });

  test('a buffer that an invocation names is not dropped before the invocation has ended', async () => {
    const { Pins } = await import('../../../../src/core/memory/pins.js'); // of the thread that was made last
    worker.setShareBuffer((...message) => posted.push([message[0], undefined]));
    const pins = new Pins();
    pins.during(() => worker.externalId(buffer()));
    await collectSomeTimes();
    expect(posted).toHaveLength(1);
    pins.release();
    expect(await collectUntil(() => posted.length === 2)).toBe(true);
  });
});
