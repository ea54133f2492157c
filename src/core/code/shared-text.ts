/**
 * Strings in shared memory, as UTF-16 units; runs on every thread.
 *
 * Not UTF-8, which has no form for a lone surrogate. Units lie at even offsets.
 */

export const TEXT_BYTES_PER_UNIT = 2;

/** Arguments of one call of `String.fromCharCode`, well below every engine's limit. */
const UNITS_PER_CALL = 8192;

const unitsAt = (bytes: Uint8Array, at: number, length: number): Uint16Array =>
  new Uint16Array(bytes.buffer, bytes.byteOffset + at, length);

export function writeText(bytes: Uint8Array, at: number, text: string): void {
  const units = unitsAt(bytes, at, text.length);
  const utf8 = new TextEncoder().encode(text);
  if (utf8.length === text.length)
    units.set(utf8); // ASCII, as most texts are, is not written unit by unit
  else for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
}

export function readText(bytes: Uint8Array, at: number, length: number): string {
  const units = unitsAt(bytes, at, length).slice(); // decoders refuse shared memory
  let text = '';
  if (length > UNITS_PER_CALL) {
    text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
    if (!text.includes('\ufffd')) return text;
    text = ''; // the decoder may have replaced a lone surrogate
  }
  for (let i = 0; i < length; i += UNITS_PER_CALL) {
    text += String.fromCharCode.apply(null, units.subarray(i, i + UNITS_PER_CALL) as unknown as number[]);
  }
  return text;
}
