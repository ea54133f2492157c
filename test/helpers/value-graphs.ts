/** Values of all kinds that structured cloning takes, which lead to each other and back; and what tells two of them apart. */
import fc from 'fast-check';
import { ALL_TYPES } from './array-values.js';

/** Units that are encoded differently: ASCII, Latin-1, others, surrogates with and without their other half. */
const units = fc.constantFrom(
  'a',
  'z',
  ' ',
  '\0',
  '\x7f',
  '\x80',
  'é',
  'ÿ',
  'Ā',
  '€',
  '\uffff',
  '\ufeff',
  '😀',
  '\ud800',
  '\udc00',
);
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: units, maxLength: 30 }),
  fc.string({ unit: units, minLength: 60, maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('a', '€', '😀'), minLength: 60, maxLength: 200 }),
  fc.constantFrom('x'.repeat(63), 'x'.repeat(64), `${'x'.repeat(5000)}é`, '€'.repeat(5000)),
);

const numbers = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 127, 128, -128, Number.NaN, Number.POSITIVE_INFINITY, 0.5),
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 32, 2 ** 53),
  fc.integer(),
  fc.double(),
);

const bigints = fc.oneof(
  fc.constantFrom(0n, -1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n),
  fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
);

const primitives = fc.oneof(texts, numbers, bigints, fc.constantFrom<unknown>(undefined, null, true, false));

const keys = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'c',
    '0',
    '1',
    '17',
    '4294967295',
    '-1',
    '01',
    '',
    '__proto__',
    'constructor',
    'toString',
    'é',
  ),
  fc.constantFrom('length', 'message', 'stack', 'cause', 'name', 'size'),
  texts,
);

/** How to make a node before it has its children, and how to give it those. */
interface Recipe {
  readonly make: () => object;
  /** @param child the k-th child, which may be any node, or a primitive */
  readonly fill: (node: never, child: (k: number) => unknown) => void;
}

const setOwn = (object: object, key: string, value: unknown): void => {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
};

const leaf = (make: () => object): Recipe => ({ make, fill: () => {} });

/** An array may lack elements, and have other properties. */
const arrays = fc
  .record({
    has: fc.array(fc.boolean(), { maxLength: 12 }),
    behind: fc.constantFrom(0, 0, 1, 100),
    others: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(keys, { maxLength: 3 })),
  })
  .map(
    ({ has, behind, others }): Recipe => ({
      make: () => new Array(has.length + behind),
      fill(array: unknown[], child) {
        for (const [k, is] of has.entries()) if (is) array[k] = child(k);
        for (const [k, key] of others.entries()) if (key !== 'length') setOwn(array, key, child(has.length + k));
      },
    }),
  );

const objects = fc.tuple(fc.uniqueArray(keys, { maxLength: 6 }), fc.boolean()).map(
  ([names, hasPrototype]): Recipe => ({
    make: () => (hasPrototype ? {} : Object.create(null)),
    fill(object, child) {
      for (const [k, name] of names.entries()) setOwn(object, name, child(k));
    },
  }),
);

const dictionaries = fc.nat(200).map(
  (count): Recipe => ({
    make: () => ({}),
    fill(object, child) {
      for (let k = 0; k < count; k++) setOwn(object, `key ${k}`, child(k));
    },
  }),
);

const maps = fc.nat(6).map(
  (count): Recipe => ({
    make: () => new Map(),
    fill(map: Map<unknown, unknown>, child) {
      for (let k = 0; k < count; k++) map.set(child(2 * k), child(2 * k + 1));
    },
  }),
);

const sets = fc.nat(6).map(
  (count): Recipe => ({
    make: () => new Set(),
    fill(set: Set<unknown>, child) {
      for (let k = 0; k < count; k++) set.add(child(k));
    },
  }),
);

const errors = fc
  .record({
    Class: fc.constantFrom(Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError),
    message: fc.option(texts, { nil: undefined }),
    name: fc.option(fc.constantFrom('TypeError', 'Mine', ''), { nil: undefined }),
    hasCause: fc.boolean(),
  })
  .map(
    ({ Class, message, name, hasCause }): Recipe => ({
      make: () => Object.assign(new Class(message), name === undefined ? {} : { name }),
      fill(error: object, child) {
        const cause =
          Object(child(0)) === child(0) ? { 'V8 reads': 'no error that is within its own cause' } : child(0);
        if (hasCause) Object.defineProperty(error, 'cause', { value: cause, writable: true, configurable: true });
      },
    }),
  );

const leaves = fc.oneof(
  fc.oneof(fc.date(), fc.constant(new Date(Number.NaN))).map((date) => leaf(() => new Date(date))),
  fc
    .tuple(fc.constantFrom('a+', '', '/', '[€-￿]', '\\d{2}'), fc.constantFrom('', 'g', 'dgimsuy', 'v'))
    .map(([source, flags]) => leaf(() => new RegExp(source, flags))),
  fc.oneof(texts, numbers, bigints, fc.boolean()).map((primitive) => leaf(() => Object(primitive))),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => leaf(() => bytes.slice().buffer)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => leaf(() => growable(bytes))),
  fc
    .tuple(fc.constantFrom(...ALL_TYPES), fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.nat(4), fc.nat(4))
    .map(([Type, bytes, from, length]) => leaf(() => new Type(bytes.slice().buffer, 8 * from, length))),
  fc
    .tuple(fc.uint8Array({ minLength: 9, maxLength: 40 }), fc.nat(9))
    .map(([bytes, from]) => leaf(() => new DataView(bytes.slice().buffer, from))),
  fc.array(numbers, { minLength: 8, maxLength: 40 }).map((values) => leaf(() => values.slice())),
  fc
    .array(fc.constantFrom(0, -0, 1, 300, -5), { minLength: 8, maxLength: 12 })
    .map((values) => leaf(() => values.slice())),
  fc.array(fc.integer(), { minLength: 8, maxLength: 40 }).map((values) => leaf(() => values.slice())),
);

function growable(bytes: Uint8Array): ArrayBuffer {
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [bytes.length, { maxByteLength: 64 }]);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

const recipes: fc.Arbitrary<Recipe> = fc.oneof(objects, arrays, dictionaries, maps, sets, errors, leaves);

/** Graphs of values, with cycles and with parts that several others hold. */
export const valueGraphs: fc.Arbitrary<unknown> = fc
  .record({
    nodes: fc.array(recipes, { minLength: 1, maxLength: 12 }),
    parts: fc.array(primitives, { minLength: 1, maxLength: 8 }),
    order: fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
  })
  .map(({ nodes, parts, order }) => {
    const made: unknown[] = nodes.map(({ make }) => make());
    const all = [...made, ...parts];
    for (const [i, { fill }] of nodes.entries())
      fill(made[i] as never, (k) => all[(order[(i + k) % order.length] as number) % all.length]);
    return made[0];
  });

const HIDDEN = ['message', 'stack', 'cause'];

/** What can be seen of an object, apart from what it refers to and the place of a view in its buffer; and what it refers to. */
function seen(value: object): [own: unknown[], others: unknown[]] {
  const prototype: unknown = Object.getPrototypeOf(value);
  const own: unknown[] = [prototype, Object.prototype.toString.call(value)];
  const others: unknown[] = [];
  if (ArrayBuffer.isView(value)) {
    own.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex'));
    return [own, others];
  }
  if (value instanceof ArrayBuffer)
    own.push((value as { maxByteLength?: number }).maxByteLength, Buffer.from(value).toString('hex'));
  if (value instanceof Date) own.push(value.getTime());
  if (value instanceof RegExp) own.push(value.source, value.flags, value.lastIndex);
  if (value instanceof Map) for (const entry of value) others.push(...entry);
  if (value instanceof Set) others.push(...value);
  if (['Number', 'String', 'Boolean', 'BigInt'].includes(prototype?.constructor?.name ?? '')) own.push(value.valueOf());
  if (Array.isArray(value)) own.push(value.length);
  for (const key of Object.keys(value)) {
    own.push(key);
    others.push((value as Record<string, unknown>)[key]);
  }
  if (value instanceof Error)
    for (const key of HIDDEN) {
      own.push(Object.hasOwn(value, key), Object.prototype.propertyIsEnumerable.call(value, key));
      others.push((value as unknown as Record<string, unknown>)[key]);
    }
  return [own, others];
}

/** Where two graphs differ, as a path; undefined if they are alike in all that can be seen, identities included. */
export function difference(one: unknown, other: unknown): string | undefined {
  const pairs = new Map<object, object>();
  const partners = new Set<object>();
  const queue: [a: unknown, b: unknown, path: string][] = [[one, other, 'it']];
  for (const [a, b, path] of queue) {
    if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
      if (!Object.is(a, b)) return `${path}: ${String(a)} and ${String(b)}`;
      continue;
    }
    if (pairs.has(a) || partners.has(b)) {
      if (pairs.get(a) !== b) return `${path}: not the same object as before`;
      continue;
    }
    pairs.set(a, b);
    partners.add(b);
    const [[own, others], [own2, others2]] = [seen(a), seen(b)];
    const at = own.findIndex((part, k) => !Object.is(part, own2[k]));
    if (at >= 0 || own.length !== own2.length) return `${path}: ${String(own[at])} and ${String(own2[at])} (${at})`;
    if (others.length !== others2.length) return `${path}: ${others.length} and ${others2.length} parts`;
    for (const [k, part] of others.entries()) queue.push([part, others2[k], `${path}.${k}`]);
  }
  return undefined;
}
