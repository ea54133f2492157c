/**
 * Messages as a stranger may send them to hosts and clients: messages of the library with bytes, types, names or sizes changed. Every decoder must give what is
 * right, or an error of the library, and evaluate nothing.
 */

import { chunksIn, headerOf, hostAnswerIn, partsIn, shareOrderIn } from '../../src/cluster/link/arrived.js';
import { kindOf, packCall, unpackCall } from '../../src/cluster/link/job-kind.js';
import { nameIn, placeIn } from '../../src/cluster/link/names.js';
import { registerError } from '../../src/core/code/registry.js';
import { registerClass } from '../../src/core/code/value-class.js';
import { free, isShared, sharedArray } from '../../src/core/memory/shared-array.js';
import { host, registerHost } from '../../src/core/platform/host.js';
import { detectNode } from '../../src/core/platform/node.js';
import { RecursiveTask } from '../../src/core/task/fork-join-task.js';
import { forkable } from '../../src/core/task/function-task.js';
import { task as callTask } from '../../src/core/task/task.js';
import {
  packOutcome,
  packTask,
  packValue,
  unpackOutcome,
  unpackTask,
  unpackValue,
} from '../../src/core/wire/parcel.js';
import { type Random, randomOf } from '../helpers/random.js';

registerHost(detectNode);

class Point {
  readonly x: unknown;
  constructor(x: unknown) {
    this.x = x;
  }
  moved(): unknown {
    return this.x;
  }
}
registerClass(import.meta.url, 'Point', Point);

class Spoilt extends RangeError {
  readonly at: unknown = 3;
}
registerError(import.meta.url, 'Spoilt', Spoilt);

class Range extends RecursiveTask<unknown> {
  static {
    this.register(import.meta.url, 'Range');
  }
  readonly held: unknown;
  constructor(held: unknown) {
    super();
    this.held = held;
  }
  split(): undefined {}
  combine(): void {}
  compute(): unknown {
    return this.held;
  }
}
const give = forkable(import.meta.url, 'give', (value: unknown) => value);

/** Set by every text of code in the messages, if a decoder evaluates it. */
const EVALUATED = 'furcateEvaluated';
const CODE = `globalThis.${EVALUATED} = true`;
const MARK = 'furcate:mark';

type Decode = (bytes: Uint8Array) => unknown;
type Kind = readonly [name: string, message: Uint8Array, decode: Decode];

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const headers = (value: string) => ({ headers: { get: () => value } as never });

function kinds(): readonly Kind[] {
  const data = {
    list: [1, 'two', undefined, [3n, new Date(0), /four/g]],
    map: new Map([[{ k: 1 }, new Set([new Point(5)])]]),
    xs: sharedArray(Float64Array, [6, 7]),
    ys: Uint8Array.of(8),
    [MARK]: 'of the user',
  };
  const error = new Spoilt(CODE, { cause: new AggregateError([new TypeError(CODE)], CODE) });
  const call = packCall({ url: 'file:///a.mjs', name: 'give', argument: packValue(data, 'data') });
  const made: Kind[] = [
    ['task', packTask(new Range(data)), unpackTask],
    ['call of a function', packTask(callTask(give, data)), unpackTask],
    ['value', packValue(data, 'data'), unpackValue],
    ['result', packOutcome({ failed: false, value: data }), unpackOutcome],
    ['failure', packOutcome({ failed: true, value: error }), unpackOutcome],
    ['call of a host function', call, (bytes) => unpackValue(unpackCall(bytes).argument)],
    ['order to share', bytesOf({ keys: ['0-a', '1-b'], wanted: 8 }), shareOrderIn],
    [
      'answer of a host',
      bytesOf({ name: 'A', threads: 2, version: '', jobs: 1, holds: true, blockedMs: 0 }),
      hostAnswerIn,
    ],
    [
      'list of parts',
      bytesOf([
        ['-0-1', 'a'],
        ['-1', 'b'],
      ]),
      partsIn,
    ],
    ['list of chunks', Buffer.from(`${'a'.repeat(8)} 2 30`), (bytes) => chunksIn(text(bytes))],
    ['header', Buffer.from('task%20A'), (bytes) => kindOf(headerOf(headers(text(bytes)), 'Furcate-Kind'))],
    ['subject', Buffer.from('furcate.a.job.at-=20=.r.1.k'), (bytes) => [nameIn(text(bytes)), placeIn(text(bytes))]],
  ];
  free(data.xs);
  return made;
}

const views = { encode: () => undefined, decode: () => Uint8Array.of() };

/** An array that holds one element, and claims more: few bytes for V8's serializer. */
const sparse = (length: number): unknown[] => Object.assign([], { [length - 1]: 1 });

/** What stands in a wrong place. */
const STRANGE: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => undefined,
  () => Number.NaN,
  () => -1,
  () => 2 ** 53,
  () => 10n ** 30n,
  () => '',
  () => '__proto__',
  () => CODE,
  () => 'x'.repeat(10_000),
  () => true,
  () => [],
  () => ({}),
  () => new Map([[1, CODE]]),
  () => new Set([CODE]),
  () => new Date(Number.NaN),
  () => Object('boxed'),
  () => new Error(CODE),
  () => Float32Array.of(1),
  () => new DataView(new ArrayBuffer(8)),
  () => new ArrayBuffer(8),
  () => sparse(2 ** 32 - 1),
  () => sparse(40_000_000),
  ({ below }) => {
    let deep: unknown = 1;
    for (let depth = below(3000); depth > 0; depth--) deep = below(2) === 0 ? [deep] : { deep };
    return deep;
  },
  () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic, { cyclic });
    return cyclic;
  },
  (random) => markOf(random),
  (random) => {
    const fields = { a: 1 };
    return Array.from({ length: 1 + random.below(50) }, () => ({ ...markOf(random), fields }));
  },
];

const BASES = [
  'Function',
  'eval',
  'Proxy',
  'Error',
  'DOMException',
  'AggregateError',
  'Promise',
  '__proto__',
  'Worker',
];
const MARKS = ['error', 'instance', 'function', 'buffer', 'shared', 'verbatim', 'constructor', ''];
const KEYS = ['then', 'valueOf', 'toString', 'split', 'combine', 'compute', 'constructor', '__proto__', '$state', MARK];

const any = <T>({ below }: Random, choices: readonly T[]): T => choices[below(choices.length)] as T;
const strange = (random: Random): unknown => any(random, STRANGE)(random);

function markOf(random: Random): object {
  const description = { base: any(random, BASES), message: CODE, name: 'x', stack: CODE, hidden: [CODE] };
  const value = random.below(3) === 0 ? { code: random.below(50), byName: random.below(2) === 0 } : description;
  const fields = random.below(3) === 0 ? strange(random) : Object.fromEntries([[any(random, KEYS), strange(random)]]);
  return { [MARK]: any(random, MARKS), value: random.below(4) === 0 ? random.below(100) : value, fields };
}

/** Changes a part of plain data. */
function change(root: unknown, random: Random): unknown {
  let part: unknown = root;
  for (let steps = random.below(8); ; steps--) {
    if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return root;
    const keys = Object.keys(part);
    const key = keys.length === 0 || random.below(6) === 0 ? any(random, KEYS) : any(random, keys);
    const inside: unknown = Object.getOwnPropertyDescriptor(part, key)?.value;
    if (steps <= 0 || typeof inside !== 'object' || inside === null) {
      const value = strange(random);
      Reflect.defineProperty(part, key, { value, writable: true, enumerable: true, configurable: true });
      return root;
    }
    part = inside;
  }
}

/** Changes bytes. */
function spoil(message: Uint8Array, random: Random): Uint8Array {
  const bytes = Buffer.from(message);
  const at = random.below(bytes.length + 1);
  const kind = random.below(5);
  if (kind === 0) return bytes.subarray(0, at);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(bytes.length + 1))]);
  if (kind === 2) return Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)));
  for (let times = 1 + random.below(4); times > 0; times--) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

/** JSON would write each element that an array does not have. */
const withoutSparse = (_: string, value: unknown): unknown =>
  Array.isArray(value) && value.length > 1e6 ? value.length : value;

function isJson(message: Uint8Array): boolean {
  return message[0] === 0x7b || message[0] === 0x5b;
}

function hostile(message: Uint8Array, random: Random): Uint8Array {
  if (random.below(3) === 0) return spoil(message, random);
  if (isJson(message)) {
    try {
      return Buffer.from(JSON.stringify(change(JSON.parse(text(message)), random), withoutSparse));
    } catch {
      return bytesOf(CODE); // what JSON cannot hold
    }
  }
  const line = message[0] === 0xff ? -1 : message.indexOf(10);
  if (message[0] !== 0xff && line < 0) return spoil(message, random);
  const head = Buffer.from(message.subarray(0, line + 1));
  const contents = host().deserialize(message.slice(line + 1), views);
  let changed: unknown = contents;
  for (let times = 1 + random.below(3); times > 0; times--) changed = change(changed, random);
  return Buffer.concat([head, host().serialize(changed, views)]);
}

/** Walks what a decoder gave, as a program does that uses it. @throws Error for a function that came along */
function use(value: unknown): void {
  const seen = new Set<object>();
  const rest = [value];
  while (rest.length > 0) {
    const part = rest.pop();
    if (typeof part === 'function') throw new Error('a decoder gave a function');
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    if (ArrayBuffer.isView(part)) {
      if (isShared(part as Float64Array)) free(part as Float64Array);
      continue;
    }
    if (part instanceof Map) for (const entry of part) rest.push(...entry);
    else if (part instanceof Set) rest.push(...part);
    else rest.push(...Object.values(part));
  }
}

const isOfLibrary = (error: unknown): boolean => error instanceof Error && error.message.startsWith('furcate: ');

/** How messages have ended. */
export interface WireReport {
  readonly taken: number;
  readonly refused: number;
}

/**
 * Sends `messages` messages to the decoders.
 *
 * @throws Error for a decoder that evaluates something, gives a function, or fails with an error of others
 */
export async function fuzzWire(seed: number, messages: number): Promise<WireReport> {
  const random = randomOf(seed);
  const all = kinds();
  let taken = 0;
  let refused = 0;
  for (let n = 0; n < messages; n++) {
    const [name, message, decode] = any(random, all);
    const bytes = hostile(message, random);
    const fail = (what: string, cause?: unknown): Error =>
      new Error(`message ${n} of seed ${seed}, a ${name}, ${bytes.length} bytes: ${what}`, { cause });
    let value: unknown;
    try {
      value = decode(bytes);
      taken++;
    } catch (error) {
      if (!isOfLibrary(error)) throw fail('an error that is not of the library', error);
      refused++;
      continue;
    }
    try {
      use(value);
    } catch (error) {
      throw fail('what came cannot be used', error);
    }
    if (decode === unpackOutcome) await (value as { readonly value: unknown }).value;
    if (Object.hasOwn(globalThis, EVALUATED)) throw fail('its text was evaluated');
  }
  return { taken, refused };
}
