/** Runs of calls that follow one another with the same id. */
import { expect, test } from 'vitest';
import { Cleaner } from '../../../../src/cluster/client/cleaner.js';
import { ClientRuns } from '../../../../src/cluster/client/runs.js';
import type { Link } from '../../../../src/cluster/link/link.js';
import { Names } from '../../../../src/cluster/link/names.js';
import { turn } from '../../../helpers/event-loop.js';

const names = new Names('app');
const LEFT = names.result({ run: 'nightly', call: 'map', key: 'key' });

/** A server that has brought back a result of a call, and tells what it does. `hold` has it take its time for the next purge. */
function newServer() {
  const done: string[] = [];
  let reconnect = (): void => {};
  let held: Promise<void> | undefined;
  const streams = {
    info: async (stream: string) => ({
      created: 'once',
      state: { last_seq: 9, subjects: stream === names.results ? { [LEFT]: 1 } : {} },
    }),
    async purge(stream: string) {
      const before = held;
      held = undefined;
      await before;
      done.push(`purge ${stream}`);
    },
  };
  const messages = { close: async () => {}, status: async function* () {} };
  const consumer = { consume: async () => messages, delete: async () => true };
  const link = {
    names,
    connections: 1,
    connection: { isClosed: () => false, publish: (subject: string) => done.push(subject) },
    manager: { streams },
    client: {
      consumers: {
        async get() {
          done.push('read');
          return consumer;
        },
      },
    },
    patiently: <T>(act: () => Promise<T>) => act(),
    hear: () => ({ unsubscribe: () => {} }),
    onReconnect(listener: () => void) {
      reconnect = listener;
    },
  } as unknown as Link;
  const hold = (): (() => void) => {
    let letGo = (): void => {};
    held = new Promise((resolve) => {
      letGo = resolve;
    });
    return letGo;
  };
  return { link, done, reconnect: () => reconnect(), hold };
}

test('a call begins when nothing of its run is being deleted: it would lose what it has submitted', async () => {
  const { link, done, reconnect, hold } = newServer();
  const cleaner = new Cleaner(link, () => false);
  await cleaner.clean({ run: 'nightly', call: 'map' });
  const letGo = hold();
  reconnect();
  await turn(); // it has seen the result, and deletes what there is of the run
  const run = new ClientRuns(link, cleaner).enter('nightly', 'map');
  await turn();
  letGo();
  await run.ready;
  expect(done.filter((what) => what.includes('cancel'))).toHaveLength(1);
  expect(done.indexOf('read')).toBe(done.length - 1);
});
