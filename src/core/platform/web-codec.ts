/** Values as bytes and back, for the time being: the codec that all hosts without a serializer share takes its place. */

// biome-ignore-all lint: for the time being
import { constructorOfType, typeOfView } from '../memory/element-types.js';
import type { Host, ViewCodec } from './host.js';

const enc = (value: any, views: ViewCodec): any => {
  if (value === undefined) return { u: 1 };
  if (typeof value === 'bigint') return { b: String(value) };
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { n: Object.is(value, -0) ? '-0' : String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) {
    const numbers = views.encode(value);
    if (numbers) return { v: numbers };
    return { t: typeOfView(value), y: [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)] };
  }
  if (value instanceof Map) return { m: [...value].map((e) => e.map((x: any) => enc(x, views))) };
  if (value instanceof Set) return { s: [...value].map((x: any) => enc(x, views)) };
  if (value instanceof Error) return { e: { name: value.name, message: value.message, stack: value.stack } };
  if (Array.isArray(value)) return { a: value.map((x) => enc(x, views)) };
  return { o: Object.entries(value).map(([k, x]) => [k, enc(x, views)]) };
};
const dec = (value: any, views: ViewCodec): any => {
  if (typeof value !== 'object' || value === null) return value;
  if ('u' in value) return undefined;
  if ('b' in value) return BigInt(value.b);
  if ('n' in value) return Number(value.n);
  if ('v' in value) return views.decode(value.v);
  if ('t' in value) {
    const T = constructorOfType(value.t);
    const b = Uint8Array.from(value.y).buffer;
    return T ? new T(b) : new DataView(b);
  }
  if ('m' in value) return new Map(value.m.map((e: any) => e.map((x: any) => dec(x, views))));
  if ('s' in value) return new Set(value.s.map((x: any) => dec(x, views)));
  if ('e' in value)
    return Object.assign(new ((globalThis as any)[value.e.name] ?? Error)(value.e.message), { stack: value.e.stack });
  if ('a' in value) return value.a.map((x: any) => dec(x, views));
  return Object.fromEntries(value.o.map(([k, x]: any) => [k, dec(x, views)]));
};
export const portableCodec: Pick<Host, 'serialize' | 'deserialize'> = {
  serialize: (value, views) => new TextEncoder().encode(JSON.stringify(enc(value, views))),
  deserialize: (bytes, views) => dec(JSON.parse(new TextDecoder().decode(new Uint8Array(bytes))), views),
};
