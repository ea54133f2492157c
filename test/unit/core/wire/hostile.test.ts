/** Bytes of strangers: decoders of hosts and clients take any, give an error of the library, and evaluate nothing. */
import { expect, test } from 'vitest';
import { registerClass } from '../../../../src/core/code/value-class.js';
import { host, registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { RecursiveTask } from '../../../../src/core/task/fork-join-task.js';
import { unpackOutcome, unpackTask, unpackValue, WIRE_VERSION } from '../../../../src/core/wire/parcel.js';
import { fuzzWire } from '../../../fuzz/wire.js';
import { LONG_TEST_HANG_MS } from '../../../helpers/limits.js';
import { seedOfRun } from '../../../helpers/seed.js';

registerHost(detectNode);

(class Leaf extends RecursiveTask<number> {
  split(): undefined {}
  compute(): number {
    return 1;
  }
}).register(import.meta.url, 'Leaf');

class Chain {
  set head(_: unknown) {
    throw new Error('a setter of the class has run');
  }
}
registerClass(import.meta.url, 'Chain', Chain);
class Later {
  // biome-ignore lint/suspicious/noThenProperty: what the test is about
  then(): void {}
}
registerClass(import.meta.url, 'Later', Later);

const views = { encode: () => undefined, decode: () => Uint8Array.of() };
const packed = (values: unknown, codes: unknown = []): Uint8Array =>
  host().serialize({ version: WIRE_VERSION, codes, values }, views);
const mark = (kind: string, value: unknown, fields: unknown = {}) => ({ 'furcate:mark': kind, value, fields });
const error = (base: string) =>
  mark('error', { base, message: 'globalThis.evaluated = true', name: 'x', hidden: [], stack: undefined });
const field = (name: string, value: unknown) => packed([['class', import.meta.url, 'Leaf'], [[name, value]]]);
const classNamed = (name: string) => [[7, ['value class', import.meta.url, name]]];

test(
  'messages of strangers end in an error of the library or in data, and nothing of them is evaluated',
  async () => {
    const { taken, refused } = await fuzzWire(seedOfRun('wire'), 4000);
    expect(taken).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(1000);
  },
  LONG_TEST_HANG_MS,
);

test('an error comes back by a class of errors, never by another function of the realm', () => {
  for (const base of ['Function', 'eval', 'Promise', 'constructor', '__proto__']) {
    const value = unpackValue(packed(error(base)));
    expect(Object.prototype.toString.call(value)).toBe('[object Error]');
    expect(Object.getPrototypeOf(value)).toBe(Error.prototype);
  }
});

test('no function arrives, by whatever number', () => {
  for (const id of [0, 1, 2, 50]) expect(() => unpackValue(packed(mark('function', id)))).toThrow(/^furcate: .*kind/);
});

test('fields of a task stand neither over methods of its class nor over what the library keeps in it', () => {
  for (const name of ['split', 'compute', 'fork', 'constructor', '__proto__', 'toString', '$state', '$result'])
    expect(() => unpackTask(field(name, 1)), name).toThrow(/^furcate: /);
  expect(() => unpackTask(field('plain', 1))).not.toThrow();
});

test('fields of an instance run no setter of its class', () => {
  const chain = mark('instance', { code: 7 }, { head: 1 });
  expect(() => unpackValue(packed(chain, classNamed('Chain')))).toThrow(/'head' has the name of a method or accessor/);
});

test('an instance has only a class of values, and a task only a class of tasks', () => {
  const ofTask = [[7, ['class', import.meta.url, 'Leaf']]];
  expect(() => unpackValue(packed(mark('instance', { code: 7 }), ofTask))).toThrow(/kind 'class'/);
  expect(() => unpackTask(packed([['value class', import.meta.url, 'Chain'], []]))).toThrow(/kind 'value class'/);
  expect(() => unpackValue(packed(mark('instance', { code: 8 }), classNamed('Chain')))).toThrow(/does not name/);
});

test('a result with a method then is refused, because the promise of the call would run it', () => {
  const later = packed([false, mark('instance', { code: 7 })], classNamed('Later'));
  expect(() => unpackOutcome(later)).toThrow(/method then/);
  const data = Object.fromEntries([['then', 1]]);
  expect(unpackOutcome(packed([false, data])).value).toEqual(data);
});

test("the library's own functions are no code that a message may name", () => {
  expect(() => unpackTask(packed([['function', 'furcate:', 'checkpoint'], []]))).toThrow(/has no function/);
});

test('a list of arguments with holes is no list of arguments', () => {
  const list: unknown[] = [[0, 1]];
  list[2] = [2, 1];
  expect(() => unpackTask(packed([['class', import.meta.url, 'Leaf'], list]))).toThrow(/^furcate: .*no pair/);
});

test('an array that claims more elements than the message has bytes is refused before it is copied', () => {
  const claimed = Object.assign([], { length: 2 ** 32 - 1 });
  expect(() => unpackValue(packed(claimed))).toThrow(/4294967295 elements/);
  for (const part of ['hidden', 'registered']) {
    const spoilt = error('Error');
    spoilt.value = { ...(spoilt.value as object), [part]: claimed };
    expect(() => unpackValue(packed(spoilt))).toThrow(/the description of an error/);
  }
});

test('what is copied for each value belongs to one: work and memory stay in proportion to the bytes', () => {
  const fields = { a: 1 };
  const chains = [1, 2].map(() => mark('instance', { code: 7 }, fields));
  expect(() => unpackValue(packed(chains, classNamed('Chain')))).toThrow(/same contents/);
  const xs = new Uint8Array(10);
  expect(() => unpackValue(packed([mark('shared', xs), mark('shared', xs)]))).toThrow(/same contents/);
  const hidden = ['a', 'b'];
  const errors = [1, 2].map(() => mark('error', { base: 'Error', message: '', name: 'x', stack: undefined, hidden }));
  expect(() => unpackValue(packed(errors))).toThrow(/same contents/);
});
