import { beforeEach, describe, expect, test, vi } from 'vitest';

type Foreign = typeof import('../../../../src/core/memory/foreign.js');

/** A thread's own table of buffers. */
async function newThread(): Promise<Foreign> {
  vi.resetModules();
  return import('../../../../src/core/memory/foreign.js');
}

const buffer = (): SharedArrayBuffer => new SharedArrayBuffer(8);

describe('an owner of pools and a worker', () => {
  let owner: Foreign;
  let worker: Foreign;
  /** Messages on their way. */
  let posted: [id: number, buffer: SharedArrayBuffer][];
  const take = (): void => {
    for (const message of posted.splice(0)) worker.acceptForeign(...message);
  };

  beforeEach(async () => {
    owner = await newThread();
    worker = await newThread();
    posted = [];
    owner.setIntroducer((...message) => posted.push(message));
  });

  test('a worker takes what has arrived as soon as it looks for a buffer that it lacks', () => {
    worker.startForeign(owner.knownForeign(), take);
    const introduced = [buffer(), buffer()].map((each) => [owner.foreignId(each) as number, each] as const);
    expect(worker.lastForeign()).toBe(0);
    expect(worker.foreignArrived(owner.lastForeign())).toBe(true);
    for (const [id, each] of introduced) expect(worker.foreignBuffer(id)).toBe(each);
    const [late, third] = [buffer(), owner.lastForeign() + 1];
    expect(owner.foreignId(late)).toBe(third);
    expect(worker.foreignBuffer(third)).toBe(late); // nobody had asked whether it had arrived
  });

  test('a worker that starts later knows as many buffers as its owner, though some are gone', () => {
    owner.foreignId(buffer());
    const { last, live } = owner.knownForeign();
    expect([last, live.length]).toEqual([1, 1]);
    worker.startForeign({ last, live: [] }, take); // as if it had been collected
    expect(worker.foreignArrived(owner.lastForeign())).toBe(true);
    expect(() => worker.foreignBuffer(1)).toThrow('furcate: shared buffer 1 was dropped by the thread that made it.');
  });

  test('a buffer whose message has not come is told from one that is gone', () => {
    worker.startForeign(owner.knownForeign(), () => {});
    owner.foreignId(buffer());
    expect(worker.foreignArrived(owner.lastForeign())).toBe(false);
    expect(() => worker.foreignBuffer(1)).toThrow('furcate: shared buffer 1 has not reached this worker yet.');
  });

  test('a worker passes on what it was given, and introduces nothing', () => {
    worker.startForeign(owner.knownForeign(), take);
    const given = buffer();
    const id = owner.foreignId(given);
    take();
    expect(worker.foreignId(given)).toBe(id);
    expect(worker.foreignId(buffer())).toBeUndefined();
  });
});
