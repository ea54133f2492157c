/** Makes arguments of every kind, valid and hostile. Each has a label for reports, and is made anew for each call. */
import fc from 'fast-check';
import {
  CancellationError,
  type ForkJoinPool,
  ForkJoinPool as Pool,
  RecursiveTask,
  sharedArray,
  type TypedArray,
  task,
} from 'furcate';
import { type GraphBuilder, limit } from 'furcate/flows';
import { fixture, type Scenario } from '../helpers/executors.js';
import type { Kind } from './subjects.js';

/** One argument. */
export interface Argument {
  readonly label: string;
  /** Whether the argument runs code of its own, which may throw anything. */
  readonly hasCode: boolean;
  make(): unknown;
}

interface HostileValues extends Record<string, unknown> {
  readonly PLAIN: Record<string, () => unknown>;
  readonly FUNCTIONS: Record<string, () => unknown>;
  readonly TRAPPED: Record<string, () => unknown>;
  readonly REVOKED: Record<string, () => unknown>;
  readonly double: Scenario;
  readonly takes: Scenario;
  readonly Carrier: new (value: unknown) => RecursiveTask<string>;
}

const values = await fixture<HostileValues>('hostile.mjs');
const { double, takes, Carrier } = values;

const argumentsOf = (makers: Record<string, () => unknown>, hasCode: boolean): Argument[] =>
  Object.entries(makers).map(([label, make]) => ({ label, hasCode, make }));

export const HOSTILE: readonly Argument[] = [
  ...argumentsOf(values.PLAIN, false),
  ...argumentsOf(values.FUNCTIONS, true),
  ...argumentsOf(values.TRAPPED, true),
  ...argumentsOf(values.REVOKED, false), // none of their code runs: the library names them
  { label: 'a forkable', hasCode: true, make: () => double },
  { label: 'a task', hasCode: false, make: () => task(double, 1) },
  { label: 'a bigint array', hasCode: true, make: () => BigInt64Array.of(3n, 1n, 2n) },
  { label: 'a frozen signal', hasCode: false, make: () => Object.freeze(new AbortController().signal) },
  { label: 'a closed pool', hasCode: false, make: () => closedPool },
];

const closedPool = new Pool({ parallelism: 1, name: 'closed' });
await closedPool.close();

/** Shared arrays, made only once, so that any block left on the heap is the library's. */
const shared: readonly TypedArray[] = [
  sharedArray(Float64Array, 300),
  sharedArray(Int32Array, 40),
  sharedArray(Uint8Array, 1),
  sharedArray(Float32Array, 0),
  sharedArray(Float64Array, 5000),
];

class Unregistered extends RecursiveTask<number> {
  compute(): number {
    return 1;
  }
}

/** Valid values for each kind of argument. */
const GOOD: Record<Kind, readonly (() => unknown)[]> = {
  array: [
    ...shared.map((xs) => () => xs),
    () => Float64Array.of(3, 1, 2),
    () => new Uint16Array(2000),
    () => new Int8Array(0),
  ],
  items: [() => 0, () => 10, () => [1, 2, 3], () => Float64Array.of(1, 2)],
  strings: [() => ['b', 'a', null, 'b'], () => new Set(['x', 'y']), () => []],
  range: [() => 0, () => 7, () => 3000, () => [2, 50], () => [-5, 5], () => [3, 3]],
  rounds: [() => () => undefined],
  count: [() => 1, () => 5, () => 64],
  body: [() => () => {}, () => (i: number) => i + 1],
  mapper: [() => (x: number) => x, () => (x: number) => x / 2],
  predicate: [() => (x: number) => x > 1, () => () => false],
  operation: [() => 'sum', () => 'min', () => (a: number, b: number) => (a > b ? a : b)],
  identity: [() => 0, () => 1.5, () => undefined],
  comparator: [() => undefined, () => (a: number, b: number) => b - a],
  key: [() => (x: number) => x % 3],
  element: [() => 0, () => 3, () => -0],
  type: [() => Float64Array, () => Int32Array],
  url: [() => import.meta.url, () => 'file:///somewhere/else.mjs'],
  name: [() => 'good', () => 'another name'],
  function: [() => () => 1, () => (x: number) => x],
  forkable: [() => takes],
  errorClass: [() => class Good extends Error {}],
  valueClass: [() => class Good {}],
  task: [() => task(double, 2), () => takes, () => new Carrier(1), () => new Unregistered()],
  handle: [() => 1, () => 2 ** 29, () => 0],
  milliseconds: [() => 0, () => 1, () => undefined],
  message: [() => 'a message', () => undefined],
  anything: [() => undefined, () => 1],
  freshSharedArray: [() => sharedArray(Int32Array, 3)],
  tasks: [() => new Carrier(1), () => task(double, 3)],
  taskList: [() => [new Carrier(1), task(double, 3)], () => []],
  poolOptions: [
    () => ({ parallelism: 2 }),
    () => undefined,
    () => ({ name: 'good', checked: true }),
    () => ({ maxQueue: 3 }),
  ],
  invokeOptions: [
    () => undefined,
    () => ({ signal: new AbortController().signal }),
    () => ({ timeoutMs: 10_000 }),
    () => ({ onReport() {} }),
  ],
  dictionaryOptions: [
    () => undefined,
    () => ({ sorted: true }),
    () => ({ values: ['a', 'c'], unknown: 'missing' }),
    () => ({ unknown: 'add' }),
  ],
  nodeFunction: [() => (x: number) => x, () => async (x: number) => x, () => takes],
  nodeOptions: [
    () => ({}),
    () => ({ name: 'good' }),
    () => ({ context: { k: 1 } }),
    () => ({ limit: limit(1) }),
    () => ({ limit: limit(2).of(2) }),
  ],
  build: [() => (g: GraphBuilder) => g.task(() => 1)],
  buildOptions: [() => undefined, () => ({ name: 'good' })],
  arms: [() => ({ 1: (g: GraphBuilder) => g.task(() => 1) }), () => ({ 2: (g: GraphBuilder) => g.all([]) })],
  limitOptions: [() => undefined, () => ({ name: 'good' })],
  direction: [() => 'min', () => 'max'],
  bestOptions: [() => undefined, () => ({ solution: 2 }), () => ({ initial: -3 })],
  solution: [() => [1, 2], () => Int32Array.of(1, 2)],
  errorOptions: [() => undefined, () => ({ cause: new CancellationError() })],
};

/** Valid values of options that steer. */
const PARTITIONS = ['adaptive', 'static', 'cyclic', { kind: 'cyclic', block: 7 }];

const good = (kind: Kind): fc.Arbitrary<Argument> =>
  fc
    .nat(GOOD[kind].length - 1)
    .map((k) => ({ label: `${kind} ${k}`, hasCode: false, make: GOOD[kind][k] as () => unknown }));

const hostile = fc.constantFrom(...HOSTILE);

/** Valid three times out of four, so that calls get past the check of their first argument. */
export const argumentOf = (kind: Kind): fc.Arbitrary<Argument> =>
  fc.oneof({ arbitrary: good(kind), weight: 3 }, { arbitrary: hostile, weight: 1 });

/** Valid options, one of which may be replaced by a hostile value. */
export function optionsArgument(pool: ForkJoinPool, own: readonly string[]): fc.Arbitrary<Argument> {
  const fine = (): Record<string, unknown> => ({ pool, threshold: 20 });
  const keys = ['pool', 'threshold', 'context', 'signal', 'timeoutMs', 'graceMs', 'onProgress', 'thresold', ...own];
  const one = fc.tuple(fc.constantFrom(...keys), hostile).map(([key, { label, hasCode, make }]) => ({
    label: `{ ${key}: ${label} }`,
    hasCode,
    make: () => ({ ...fine(), [key]: make() }),
  }));
  const steered = fc.constantFrom(...PARTITIONS).map((partition) => ({
    label: `{ partition: ${JSON.stringify(partition)} }`,
    hasCode: false,
    make: () => ({ ...fine(), partition }),
  }));
  return fc.oneof(
    ...(own.includes('partition') ? [{ arbitrary: steered, weight: 2 }] : []),
    { arbitrary: fc.constant<Argument>({ label: '{ pool }', hasCode: false, make: fine }), weight: 3 },
    { arbitrary: fc.constant<Argument>({ label: '{}', hasCode: false, make: () => ({}) }), weight: 1 },
    { arbitrary: one, weight: 4 },
    { arbitrary: hostile, weight: 1 },
  );
}
