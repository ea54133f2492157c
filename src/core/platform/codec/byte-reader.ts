/** Reads what a `ByteWriter` wrote; runs on every thread. */

/** From this length on (units), a `TextDecoder` is faster. */
const DECODED_UNITS = 24;
/** Number of arguments that a call may have in every engine. */
const UNITS_AT_ONCE = 4096;

let utf8: TextDecoder | undefined;

/** A short string of the units from `from` to `end`. */
function charactersOf(units: Uint8Array | Uint16Array, from: number, end: number): string {
  const of = String.fromCharCode;
  const u = units;
  let text = '';
  let i = from;
  for (; i + 8 <= end; i += 8) text += of(u[i], u[i + 1], u[i + 2], u[i + 3], u[i + 4], u[i + 5], u[i + 6], u[i + 7]);
  for (; i + 3 <= end; i += 3) text += of(u[i], u[i + 1], u[i + 2]);
  for (; i < end; i++) text += of(u[i]);
  return text;
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(given: Uint8Array) {
    const bytes = given.byteOffset % 8 === 0 ? given : given.slice(); // for blocks of numbers
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Moves on; returns where it was. */
  #skip(bytes: number): number {
    const at = this.#at;
    this.#at = at + bytes;
    if (this.#at > this.#bytes.length) throw new Error('furcate: the bytes of a value end too soon.');
    return at;
  }

  byte(): number {
    return this.#bytes[this.#skip(1)];
  }

  varint(): number {
    let byte = this.byte();
    let count = byte & 127;
    for (let unit = 128; byte > 127; unit *= 128) {
      byte = this.byte();
      count += (byte & 127) * unit;
    }
    return count;
  }

  integer(): number {
    const zigzag = this.varint();
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  double(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  bigint64(): bigint {
    return this.#view.getBigInt64(this.#skip(8), true);
  }

  utf8(): string {
    return this.#decoded(this.#view.getUint32(this.#skip(4), true));
  }

  #decoded(length: number): string {
    utf8 ??= new TextDecoder('utf-8', { ignoreBOM: true });
    const at = this.#skip(length);
    return utf8.decode(this.#bytes.subarray(at, at + length));
  }

  ascii(length: number): string {
    if (length >= DECODED_UNITS) return this.#decoded(length);
    const at = this.#skip(length);
    return charactersOf(this.#bytes, at, at + length);
  }

  utf16(): string {
    const length = this.varint();
    const at = this.#skip(2 * length);
    const units = new Uint16Array(length);
    for (let i = 0; i < length; i++) units[i] = this.#view.getUint16(at + 2 * i, true);
    if (length < DECODED_UNITS) return charactersOf(units, 0, length);
    let text = '';
    for (let i = 0; i < length; i += UNITS_AT_ONCE)
      text += String.fromCharCode(...units.subarray(i, i + UNITS_AT_ONCE));
    return text;
  }

  /** A copy, which is all of its buffer. */
  raw(length: number): Uint8Array<ArrayBuffer> {
    const at = this.#skip(length);
    return this.#bytes.slice(at, at + length) as Uint8Array<ArrayBuffer>;
  }

  integers(length: number): Int32Array {
    return new Int32Array(this.#bytes.buffer, this.#block(4 * length), length);
  }

  doubles(length: number): Float64Array {
    return new Float64Array(this.#bytes.buffer, this.#block(8 * length), length);
  }

  #block(bytes: number): number {
    this.#at = (this.#at + 7) & ~7;
    return this.#bytes.byteOffset + this.#skip(bytes);
  }
}
