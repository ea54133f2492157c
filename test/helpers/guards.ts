/**
 * Guard elements: what lies around a view is marked, and looked at afterwards.
 *
 * Imports nothing of the source at run time: the mock of a module of the source is made with this.
 */
import type { TypedArray } from '../../src/core/memory/shared-array.js';

/** The bytes before and behind a view, which nobody may write, and what each of them is. */
interface Neighbours {
  readonly bytes: readonly [before: Uint8Array, behind: Uint8Array];
  readonly pattern: number;
}

const neighboursOf = new WeakMap<TypedArray, Neighbours>();
let patterns = 0;

/** Marks what lies around a view in another one; `strayWrite` tells whether it is still so. */
export function guard<T extends TypedArray>(xs: T, around: TypedArray): T {
  const { buffer, byteOffset, byteLength } = around;
  const end = xs.byteOffset + xs.byteLength;
  const pattern = GUARD_PATTERNS[patterns++ % GUARD_PATTERNS.length] as number;
  const before = new Uint8Array(buffer, byteOffset, xs.byteOffset - byteOffset).fill(pattern);
  const behind = new Uint8Array(buffer, end, byteOffset + byteLength - end).fill(pattern);
  neighboursOf.set(xs, { bytes: [before, behind], pattern });
  return xs;
}

/** As elements: less than all, greater than all, or NaN, depending on the type; so a read beyond the end shows too. */
const GUARD_PATTERNS = [0xfe, 0x81, 0x7f, 0xff];

/** What was written beside a view that `guard` or `place` gave, as text; undefined if nothing was. */
export function strayWrite(xs: ArrayLike<unknown>): string | undefined {
  const neighbours = neighboursOf.get(xs as TypedArray);
  if (neighbours === undefined) return undefined;
  const { bytes, pattern } = neighbours;
  for (const [side, guards] of bytes.entries()) {
    const at = guards.findIndex((byte) => byte !== pattern);
    if (at < 0) continue;
    const where = side === 0 ? `${guards.length - at} bytes before` : `${at} bytes behind`;
    return `a stray write ${where} ${xs.length} elements of ${(xs as TypedArray)[Symbol.toStringTag]}`;
  }
  return undefined;
}
