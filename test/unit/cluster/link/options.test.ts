/** Options of programs that connect, and items of their calls: what is wrong is refused before anything is started, by name and with the cure. */
import { expect, test } from 'vitest';
import { checkClient, checkGrace, checkHost, checkItems, checkRun } from '../../../../src/cluster/link/options.js';

const nats = 'nats://localhost:4222';
const modules = ['file:///tasks.js'];

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /^furcate: connect\(options\) takes an object of options; it was given undefined/],
  ['no server', {}, /options\.nats must be the URL of the NATS server, such as 'nats:.*undefined/],
  ['a number for a server', { nats: 5 }, /options\.nats must be the URL.*it was 5/],
  ['a URL object for a server', { nats: new URL(nats) }, /options\.nats must be the URL.*it was an object/],
  ['no server in a list', { nats: [] }, /options\.nats must be the URL/],
  ['a number in a list of servers', { nats: [nats, 5] }, /options\.nats must be the URL/],
  ['a number among the options of the connection', { nats: { servers: 5 } }, /options\.nats must be the URL/],
  [
    'an unknown option',
    { nats, lease: 5 },
    /has no option 'lease'\. It has: nats, app, version, leaseMs, domain, .*checked/,
  ],
  ['no name', { nats, app: '' }, /options\.app must be a text that is not empty; it was ''/],
  ['null for a name', { nats, app: null }, /options\.app must be a text.*it was null/],
  ['a long name', { nats, app: 'a'.repeat(201) }, /options\.app must have 200 characters or less.*it has 201/],
  ['a long name of other letters', { nats, app: '語'.repeat(40) }, /it has 240/],
  ['a number for a version', { nats, version: 2 }, /options\.version must be a text; it was 2/],
  ...[Number.NaN, 0, -1, 0.3, 1e300, 7e9, Number.POSITIVE_INFINITY, '5'].map(
    (leaseMs) =>
      [
        `a lease of ${leaseMs}`,
        { nats, leaseMs },
        /options\.leaseMs must be a number of milliseconds from 1 to 86400000/,
      ] as [string, unknown, RegExp],
  ),
  [
    'a domain of several words',
    { nats, domain: 'a.b' },
    /options\.domain must be the name of a JetStream domain.*'a\.b'/,
  ],
  ['two replicas', { nats, replicas: 2 }, /options\.replicas must be 1, 3 or 5.*it was 2/],
  ['half a byte', { nats, maxBytes: 0.5 }, /options\.maxBytes must be an integer from 1 up.*it was 0\.5/],
  ['a text for checked', { nats, checked: 'yes' }, /options\.checked must be true or false; it was 'yes'/],
])('connect refuses %s', (_, options, message) => {
  expect(() => checkClient(options)).toThrow(message);
});

test.each<[string, unknown, RegExp]>([
  ['no modules', { nats }, /options\.modules must be an array of the URLs.*it was undefined/],
  ['a text for modules', { nats, modules: 'tasks.js' }, /options\.modules must be an array of the URLs.*'tasks\.js'/],
  ['no name', { nats, modules, name: '' }, /options\.name must be a text that is not empty/],
  ['a long name', { nats, modules, name: '語'.repeat(50) }, /options\.name must have 200 characters or less/],
  [
    'functions to connect with',
    { nats: { servers: nats, authenticator: () => ({}) }, modules },
    /options\.nats must be plain data.*credsFile/,
  ],
  ...[Number.NaN, 0, -1, '5', null].map(
    (ms) =>
      [`${ms} for a limit`, { nats, modules, blockTimeoutMs: ms }, /options\.blockTimeoutMs must be/] as [
        string,
        unknown,
        RegExp,
      ],
  ),
])('startHost refuses %s', (_, options, message) => {
  expect(() => checkHost(options)).toThrow(message);
});

test('what is right is accepted', () => {
  checkClient({ nats, app: 'flüge *.>', version: '', leaseMs: 1.5, checked: true });
  checkClient({ nats, domain: 'hub', replicas: 3, maxBytes: 1e9 });
  checkHost({ nats: { servers: nats }, modules, name: 'A', pool: {} });
  for (const items of [[], new Set([1]), new Float64Array(2)]) checkItems('call', items);
});

test.each<[string, unknown, RegExp]>([
  ['a number', 5, /^furcate: call: items must be an array or another iterable; it was 5/],
  ['an object', {}, /items must be an array/],
  ['a text', 'abc', /items must be an array or another iterable; it was 'abc'/],
  ['an asynchronous generator', (async function* () {})(), /it was an asynchronous iterable\. Collect its items first/],
])('items that are %s are refused', (_, items, message) => {
  expect(() => checkItems('call', items)).toThrow(message);
});

test.each([Number.NaN, -1, '5', null])('%s is no grace', (ms) => {
  expect(() => checkGrace(ms)).toThrow(
    /^furcate: host\.close\(options\): options\.graceMs must be 0 milliseconds or more/,
  );
});

test('a grace may be any time', () => {
  for (const ms of [undefined, 0, 0.5, 2 ** 31, Number.POSITIVE_INFINITY]) checkGrace(ms);
});

test.each([5, undefined, null, '', Symbol('s')])('%s names no run', (run) => {
  expect(() => checkRun('cluster.purge(run)', run)).toThrow(/^furcate: cluster\.purge\(run\) takes the name of a run/);
});
