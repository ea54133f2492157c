/** Numbers, strings and blocks as bytes, in a buffer that grows and serves again; runs on every thread. */
import { BIGINT, BIGINT_64, DOUBLE, INTEGER, SHORT_STRING, SHORT_UNITS, SMALL_INTEGER, UTF8, UTF16 } from './format.js';

const FIRST_BYTES = 4096;
/** A buffer that is larger (bytes) is not kept, but given away with what was written. */
const KEPT_BYTES = 128 * 1024;

let utf8: TextEncoder | undefined;

/** Checks whether a string has a lone surrogate. */
const isIllFormed = (text: string): boolean => {
  const { isWellFormed } = text as { isWellFormed?: () => boolean }; // not in Firefox before 119
  return isWellFormed === undefined ? /\p{Surrogate}/u.test(text) : !isWellFormed.call(text);
};

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** Takes what was written; the writer is empty then. */
  take(): Uint8Array {
    const bytes = this.#bytes;
    const end = this.#at;
    this.#at = 0;
    if (bytes.length <= KEPT_BYTES) return bytes.slice(0, end);
    this.#use(new Uint8Array(FIRST_BYTES));
    return bytes.subarray(0, end);
  }

  clear(): void {
    this.#at = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#use(new Uint8Array(FIRST_BYTES));
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) this.#grow(bytes);
  }

  #grow(bytes: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#at + bytes + FIRST_BYTES));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#use(grown);
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  /** An integer from 0 to 2^53. */
  varint(count: number): void {
    this.#reserve(8);
    let rest = count;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    this.#bytes[this.#at++] = rest;
  }

  /** Eight bytes, without a tag. */
  double(x: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, x, true);
    this.#at += 8;
  }

  number(x: number): void {
    const i = x | 0;
    if (i !== x || (i === 0 && 1 / x < 0)) {
      this.byte(DOUBLE);
      this.double(x);
    } else if (i >= 0 && i < 128) this.byte(SMALL_INTEGER | i);
    else {
      this.byte(INTEGER);
      this.varint(((i << 1) ^ (i >> 31)) >>> 0);
    }
  }

  bigint(x: bigint): void {
    if (BigInt.asIntN(64, x) !== x) {
      this.byte(BIGINT);
      this.string(x.toString(16));
      return;
    }
    this.byte(BIGINT_64);
    this.#reserve(8);
    this.#view.setBigInt64(this.#at, x, true);
    this.#at += 8;
  }

  string(text: string): void {
    if (text.length < SHORT_UNITS) {
      if (!this.#tryAscii(text)) this.#units(text);
    } else if (isIllFormed(text)) this.#units(text);
    else this.#utf8(text);
  }

  #tryAscii(text: string): boolean {
    const units = text.length;
    this.#reserve(SHORT_UNITS);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = SHORT_STRING | units;
    for (let i = 0; i < units; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 127) return false;
      bytes[at++] = unit;
    }
    this.#at = at;
    return true;
  }

  #utf8(text: string): void {
    utf8 ??= new TextEncoder();
    this.byte(UTF8);
    this.#reserve(4 + text.length);
    const lengthAt = this.#at;
    this.#at += 4;
    for (let rest = text; ; ) {
      const { read, written } = utf8.encodeInto(rest, this.#bytes.subarray(this.#at));
      this.#at += written;
      if (read === rest.length) break;
      rest = rest.slice(read);
      this.#reserve(3 * rest.length); // what is not ASCII takes up to three bytes a unit
    }
    this.#view.setUint32(lengthAt, this.#at - lengthAt - 4, true);
  }

  #units(text: string): void {
    this.byte(UTF16);
    this.varint(text.length);
    this.#reserve(2 * text.length);
    for (let i = 0; i < text.length; i++, this.#at += 2) this.#view.setUint16(this.#at, text.charCodeAt(i), true);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  integers(values: readonly number[]): void {
    this.#align(4 * values.length);
    new Int32Array(this.#bytes.buffer, this.#at, values.length).set(values);
    this.#at += 4 * values.length;
  }

  doubles(values: readonly number[]): void {
    this.#align(8 * values.length);
    new Float64Array(this.#bytes.buffer, this.#at, values.length).set(values);
    this.#at += 8 * values.length;
  }

  /** Makes room for a block that begins at a multiple of eight bytes. */
  #align(bytes: number): void {
    this.#reserve(bytes + 8);
    this.#at = (this.#at + 7) & ~7;
  }
}
