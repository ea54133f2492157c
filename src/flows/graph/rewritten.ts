/**
 * Results that their thread keeps and writes again, such as scratch buffers: found in checked pools, on every thread.
 *
 * A result that stays on its thread passes as it is, so a node that takes it would see what was written since. To copy each result when its function returns
 * would cost 1 to 3 us for each object, and 5 ms for 80 MB. So a thread of a checked pool remembers what it has returned, and refuses what it returns
 * again with other contents.
 */

/** Checksums of objects, and of sections of buffers, as they were returned last. */
const returned = new WeakMap<object, Map<string, number>>();

function checksum(bytes: Uint8Array): number {
  let sum = bytes.length;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum;
}

/** Notes what is returned. @returns whether it was returned before with other contents */
function hasChanged(key: object, section: string, bytes: Uint8Array): boolean {
  const sections = returned.get(key) ?? new Map<string, number>();
  returned.set(key, sections);
  const [before, now] = [sections.get(section), checksum(bytes)];
  sections.set(section, now);
  return before !== undefined && before !== now;
}

const isShared = (buffer: ArrayBufferLike): boolean =>
  Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]';

/** The parts of a value, at any depth, that have parts themselves or are arrays of bytes. */
function* partsOf(value: object): Generator<object> {
  const seen = new Set<unknown>([value]);
  for (const part of seen) {
    yield part as object;
    if (ArrayBuffer.isView(part)) continue;
    const inner = part instanceof Map || part instanceof Set ? [...part.values()] : Object.values(part as object);
    for (const one of inner) if (typeof one === 'object' && one !== null) seen.add(one);
  }
}

/**
 * Was a result returned before by this thread, with other contents?
 *
 * @param bytes what it was packed to
 */
export function isRewritten(value: unknown, bytes: Uint8Array): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let found = !ArrayBuffer.isView(value) && hasChanged(value, '', bytes);
  for (const part of partsOf(value)) {
    if (!ArrayBuffer.isView(part) || isShared(part.buffer)) continue;
    const { buffer, byteOffset, byteLength } = part;
    const section = new Uint8Array(buffer, byteOffset, byteLength);
    if (hasChanged(buffer, `${byteOffset} ${byteLength}`, section)) found = true;
  }
  return found;
}
