/** What a feed of results has read, by what the server says. */
import type { JsMsg } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { ResultFeed } from '../../../../src/cluster/client/result-feed.js';
import type { Link } from '../../../../src/cluster/link/link.js';
import { Names } from '../../../../src/cluster/link/names.js';

const names = new Names('app');
const RUN = 'run';
const subject = names.result({ run: RUN, call: 'map', key: 'key' });

/** A server whose last result of the run has these numbers, one after another; `deliver` gives a message to the feed. */
function linkTo(last: (number | undefined)[]): { link: Link; deliver(seq: number): void } {
  let deliver = (_: JsMsg): void => {};
  const messages = { close: async () => {}, status: async function* () {} };
  const consumer = {
    async consume({ callback }: { callback: (message: JsMsg) => void }) {
      deliver = callback;
      return messages;
    },
    delete: async () => true,
  };
  const streams = {
    info: async () => ({ state: { last_seq: 9 }, created: 'once' }),
    async getMessage() {
      const seq = last.length > 1 ? last.shift() : last[0];
      return seq === undefined ? null : { seq };
    },
  };
  const link = {
    names,
    manager: { streams },
    client: { consumers: { get: async () => consumer } },
    patiently: <T>(act: () => Promise<T>) => act(),
    hear: () => ({ unsubscribe: () => {} }),
  } as unknown as Link;
  return { link, deliver: (seq) => deliver({ seq, subject, data: new Uint8Array() } as JsMsg) };
}

test('a feed is up to date when it has read the last result', async () => {
  const { link, deliver } = linkTo([7]);
  const feed = new ResultFeed(link, RUN, () => {});
  await feed.start();
  let isDone = false;
  const done = feed.upToDate().then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDone).toBe(false);
  deliver(7);
  await done;
  await feed.upToDate();
});

test('a feed does not wait for a result that its host has taken back', async () => {
  const { link } = linkTo([7, undefined]);
  const feed = new ResultFeed(link, RUN, () => {});
  await feed.start();
  await feed.upToDate();
});

test('a feed that is stopped waits for nothing', async () => {
  const { link } = linkTo([7]);
  const feed = new ResultFeed(link, RUN, () => {});
  await feed.start();
  const done = feed.upToDate();
  await feed.stop();
  await done;
});

test('a feed that is stopped before it starts reads nothing', async () => {
  const { link } = linkTo([7]);
  const feed = new ResultFeed({ ...link, hear: () => expect.unreachable() } as unknown as Link, RUN, () => {});
  await feed.stop();
  await feed.start();
});
