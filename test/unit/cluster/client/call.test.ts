/** What a call does with jobs and results that the server lists, and has no message of. */
import { expect, test } from 'vitest';
import { ClusterCall } from '../../../../src/cluster/client/call.js';
import { Quota } from '../../../../src/cluster/client/quota.js';
import type { ResultFeed, ResultMessage } from '../../../../src/cluster/client/result-feed.js';
import { SharedParts, type Work } from '../../../../src/cluster/client/work.js';
import { packOutcome } from '../../../../src/cluster/library.js';
import type { Link } from '../../../../src/cluster/link/link.js';
import { HEADER, Names, nameIn } from '../../../../src/cluster/link/names.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';

registerHost(detectNode);

const names = new Names('app');
const CALL = { run: 'run', call: 'map' };
const KEY = '0-key';
const work: Work = { kind: 'task', what: 'it', bytes: new Uint8Array(), digest: 'key' };
const bytesOf = (value: unknown): Uint8Array => packOutcome({ failed: false, value });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server that stores a message for each subject, unless it believes that it has one. */
function newServer(hollow: readonly string[]) {
  const stored = new Map<string, ResultMessage | undefined>(hollow.map((subject) => [subject, undefined]));
  const published: string[] = [];
  let hear = (_key: string, _message: ResultMessage): void => {};
  const isIn = (stream: string, subject: string): boolean =>
    subject.includes(stream === names.jobs ? '.job.' : '.result.');
  const streams = {
    async info(stream: string, { subjects_filter: filter }: { subjects_filter: string }) {
      const listed = [...stored.keys()].filter((subject) => isIn(stream, subject));
      const subjects = listed.filter((subject) => filter.includes('*') || filter === subject);
      return { state: { subjects: Object.fromEntries(subjects.map((subject) => [subject, 1])) } };
    },
    async getMessage(_: string, { last_by_subj }: { last_by_subj: string }) {
      const message = stored.get(last_by_subj);
      return message === undefined ? null : { seq: 1, data: message.data, header: message.headers };
    },
  };
  const link = {
    names,
    manager: { streams },
    maxPayload: 2 ** 20,
    patiently: <T>(act: () => Promise<T>) => act(),
    async publish(subject: string) {
      published.push(subject);
      if (stored.has(subject)) return undefined;
      stored.set(subject, { data: new Uint8Array() });
      return published.length;
    },
    consumer: async () => ({ delivered: { stream_seq: 0 }, ack_floor: { stream_seq: 0 } }),
    who: async () => [],
  } as unknown as Link;
  const feed = {
    listen(_: string, listener: typeof hear) {
      hear = listener;
      return () => {};
    },
    upToDate: async () => {},
  } as unknown as ResultFeed;
  const call = new ClusterCall(link, feed, { ...CALL, version: '', quota: new Quota(1000), jobTimeoutMs: undefined });
  /** A host has done a job: the server stores its result, or refuses it, and the job is gone. */
  const complete = (subject: string, message: ResultMessage): void => {
    const { key } = nameIn(subject);
    stored.delete(subject);
    const result = names.result({ ...CALL, key });
    if (stored.has(result)) return;
    stored.set(result, message);
    hear(key, message);
  };
  return { call, published, complete };
}

const jobOf = (key: string): string => names.job({ ...CALL, key }, undefined);
const resultOf = (key: string): string => names.result({ ...CALL, key });

test('a job whose result the server lists and does not have is submitted by another name', async () => {
  const { call, published, complete } = newServer([resultOf(KEY)]);
  const result = call.submit(KEY, work);
  await turn();
  complete(jobOf(KEY), { data: bytesOf(1) });
  await call.recover();
  await turn();
  expect(published).toEqual([jobOf(KEY), jobOf(`${KEY}-r1`)]);
  complete(jobOf(`${KEY}-r1`), { data: bytesOf(2) });
  expect(await result).toBe(2);
});

test('so is a job that the server lists and does not have, until there is a name that it takes', async () => {
  const { call, published, complete } = newServer([jobOf(KEY), resultOf(`${KEY}-r1`)]);
  const result = call.submit(KEY, work);
  await turn();
  await call.recover();
  await turn();
  complete(jobOf(`${KEY}-r1`), { data: bytesOf(1) });
  await call.recover();
  await turn();
  expect(published).toEqual([jobOf(KEY), jobOf(`${KEY}-r1`), jobOf(`${KEY}-r2`)]);
  complete(jobOf(`${KEY}-r2`), { data: bytesOf(2) });
  expect(await result).toBe(2);
});

test('a run that goes on finds such a job, and its result by the other name', async () => {
  const { call, published, complete } = newServer([jobOf(KEY)]);
  complete(jobOf(`${KEY}-r1`), { data: bytesOf(2) });
  await call.resume();
  const result = call.submit(KEY, work);
  await call.recover();
  expect(await result).toBe(2);
  expect(published).toEqual([]);
});

test('a job that is there, or whose result is, keeps its name', async () => {
  const { call, published } = newServer([]);
  void call.submit(KEY, work);
  await turn();
  await call.recover();
  expect(published).toEqual([jobOf(KEY)]);
});

test('the parts of a job that was shared are named after the name by which it was submitted last', async () => {
  const { call, complete } = newServer([resultOf(KEY)]);
  const result = call.submit(KEY, work);
  await turn();
  complete(jobOf(KEY), { data: bytesOf(1) });
  await call.recover();
  await turn();
  const list = new TextEncoder().encode(JSON.stringify([['-0', 'digest']]));
  const headers = { get: (name: string) => (name === HEADER.form ? 'parts' : '') };
  complete(jobOf(`${KEY}-r1`), { data: list, headers: headers as unknown as NonNullable<ResultMessage['headers']> });
  expect(await result).toEqual(new SharedParts([['-0', 'digest']], `${KEY}-r1`));
});
