/**
 * The memory of a call between guards: scratch arrays and results of which some elements before and behind are marked, and looked
 * at when the array is freed or asked about. Used with `vi.mock` in the place of the core's module:
 *
 *     vi.mock('../../../src/core/memory/shared-array.js', async (original) =>
 *       (await import('../../helpers/guarded-memory.js')).guarded(await original()));
 */
import type { Arena } from '../../src/core/memory/arena.js';
import type * as sharedArrays from '../../src/core/memory/shared-array.js';
import type { TypedArray, TypedArrayConstructor } from '../../src/core/memory/shared-array.js';
import { guard, strayWrite } from './guards.js';

type SharedArrays = typeof sharedArrays;

/** Guards before and behind (bytes, a multiple of every element's size and of what kernels move at once). */
const GUARD_BYTES = 256;

/** What the elements of scratch arrays and results are at first: nothing that a call could lean on. */
const GARBAGE = 0xa7;

/** Each guarded array, and the whole that it is a part of. */
const scratch = new Map<TypedArray, TypedArray>();
const results = new Map<TypedArray, TypedArray>();
const strays: string[] = [];
let guardedArrays = 0;

function inGuards<T extends TypedArray>(
  type: TypedArrayConstructor<T>,
  n: number,
  make: (length: number) => T,
  wholes: Map<TypedArray, TypedArray>,
): T {
  const aside = GUARD_BYTES / type.BYTES_PER_ELEMENT;
  const whole = make(n + 2 * aside);
  new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength).fill(GARBAGE);
  const xs = guard(whole.subarray(aside, aside + n) as T, whole);
  wholes.set(xs, whole);
  guardedArrays++;
  return xs;
}

function look(what: string, xs: TypedArray): void {
  const stray = strayWrite(xs);
  if (stray !== undefined) strays.push(`${what}: ${stray}`);
}

/**
 * What was written beside scratch arrays and results since the last call, as text, and which scratch arrays nobody freed.
 * Results are not looked at any more from now on.
 */
export function strayWrites(): string[] {
  for (const xs of results.keys()) look('result', xs);
  results.clear();
  for (const xs of scratch.keys()) strays.push(`scratch array of ${xs.length} elements: not freed`);
  scratch.clear();
  return strays.splice(0);
}

/** How many arrays were put between guards so far. */
export const countOfGuarded = (): number => guardedArrays;

/** The module with guards. */
export function guarded(original: SharedArrays): SharedArrays {
  return {
    ...original,
    scratchArray: <T extends TypedArray>(type: TypedArrayConstructor<T>, n: number, arena: Arena): T =>
      inGuards(type, n, (length) => original.scratchArray(type, length, arena), scratch),
    freeScratch(xs, arena) {
      look('scratch array', xs);
      const whole = scratch.get(xs);
      if (whole === undefined) strays.push(`scratch array of ${xs.length} elements: freed twice, or never made`);
      else original.freeScratch(whole, arena);
      scratch.delete(xs);
    },
    unfilledArray: <T extends TypedArray>(type: TypedArrayConstructor<T>, n: number): T =>
      inGuards(type, n, (length) => original.unfilledArray(type, length), results),
    shrunk<T extends TypedArray>(xs: T, n: number): T {
      const whole = results.get(xs);
      if (whole === undefined) return original.shrunk(xs, n);
      look('result', xs);
      results.delete(xs);
      const aside = GUARD_BYTES / xs.BYTES_PER_ELEMENT;
      const cut = original.shrunk(whole, aside + n);
      const shorter = cut.subarray(aside) as T;
      results.set(shorter, cut);
      return shorter;
    },
    free(xs) {
      // What has come from a task is another view of the same memory.
      const made = [...results.keys()].find(({ byteOffset }) => byteOffset === xs.byteOffset);
      if (made === undefined) return original.free(xs);
      look('result', made);
      original.free(results.get(made) as TypedArray);
      results.delete(made);
    },
  };
}
