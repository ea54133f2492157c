/** Jobs that the server has and gives to nobody, by what the server and the hosts say. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StuckJobs } from '../../../../src/cluster/client/stuck-jobs.js';
import type { Link } from '../../../../src/cluster/link/link.js';
import { type JobTarget, Names } from '../../../../src/cluster/link/names.js';

const LEASE_MS = 1000;
const names = new Names('app');
const job = (key: string, place?: JobTarget): string => names.job({ run: 'run', call: 'map', key }, place);

let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

/**
 * A server with these messages, by their subjects, which has delivered all up to a number, and those up to another were acknowledged; hosts hold some.
 *
 * @param hollow subjects that it lists, and has no message of
 */
function linkTo(
  messages: Map<string, number>,
  { delivered, acknowledged = 0 }: { readonly delivered: number; readonly acknowledged?: number },
  held: ReadonlySet<string>,
  hollow: ReadonlySet<string> = new Set(),
): Link {
  const streams = {
    async info(_: string, { subjects_filter: subject }: { subjects_filter: string }) {
      return { state: { subjects: hollow.has(subject) ? { [subject]: 1 } : {} } };
    },
    async getMessage(_: string, { last_by_subj }: { last_by_subj: string }) {
      const seq = messages.get(last_by_subj);
      return seq === undefined ? null : { seq };
    },
    async purge(_: string, { filter, seq }: { filter: string; seq: number }) {
      if ((messages.get(filter) ?? seq) < seq) messages.delete(filter);
    },
  };
  return {
    names,
    leaseMs: LEASE_MS,
    manager: { streams },
    patiently: <T>(act: () => Promise<T>) => act(),
    async consumer(place: JobTarget) {
      if (place === 'gone') throw new Error('consumer not found');
      return { delivered: { stream_seq: delivered }, ack_floor: { stream_seq: acknowledged } };
    },
    async who(subject: string) {
      return [{ holds: false }, { holds: held.has(subject) }];
    },
  } as unknown as Link;
}

test('a job that was delivered, and that no host has for two leases, is dropped, and no other', async () => {
  const [lost, held, waiting, elsewhere, moved] = [
    job('lost'),
    job('held'),
    job('waiting'),
    job('x', 'gone'),
    job('y'),
  ];
  const all = [lost, held, waiting, elsewhere, moved];
  const messages = new Map([
    [lost, 3],
    [held, 4],
    [elsewhere, 5],
    [moved, 6],
    [waiting, 9],
  ]);
  const stuck = new StuckJobs(linkTo(messages, { delivered: 8 }, new Set([held])));
  expect([...(await stuck.drop(all)).keys()]).toEqual([]);
  nowMs = 2 * LEASE_MS - 1;
  expect([...(await stuck.drop(all)).keys()]).toEqual([]);
  messages.set(moved, 7); // it is another message now
  nowMs = 2 * LEASE_MS;
  expect([...(await stuck.drop(all)).keys()]).toEqual([lost]);
  expect([...messages.keys()]).toEqual([held, elsewhere, moved, waiting]);
  nowMs = 4 * LEASE_MS;
  expect([...(await stuck.drop(all)).keys()]).toEqual([moved]);
});

test('a job that the server believes to be acknowledged is dropped at once, unless a host has it', async () => {
  const [brought, held, taken] = [job('brought back'), job('held'), job('taken')];
  const messages = new Map([
    [brought, 3],
    [held, 4],
    [taken, 6],
  ]);
  const stuck = new StuckJobs(linkTo(messages, { delivered: 8, acknowledged: 5 }, new Set([held])));
  expect([...(await stuck.drop([brought, held, taken])).keys()]).toEqual([brought]);
  expect([...messages.keys()]).toEqual([held, taken]);
});

test('a job that the server lists and does not have is told from one that is gone', async () => {
  const [hollow, gone] = [job('hollow'), job('gone')];
  const link = linkTo(new Map(), { delivered: 8 }, new Set(), new Set([hollow]));
  expect(await new StuckJobs(link).drop([hollow, gone])).toEqual(new Map([[hollow, 'hollow']]));
});
