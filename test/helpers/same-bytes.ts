/** Arrays by their bytes: a look at each element takes many times as long, and a list in JSON a hundred times. */

/** True if both are typed arrays of one type with the same bits: so their elements are the same. NaNs are, with other bits, too. */
export function haveSameBytes(a: unknown, b: unknown): boolean {
  if (typeof Buffer === 'undefined') return false; // in a browser
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return false;
  if (a.byteLength === 0) return false; // of a freed array, too
  return bytesOf(a).equals(bytesOf(b));
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
