/**
 * Ballast: ordinary memory that is never touched, tied to the buffer objects of shared arrays, whose memory engines do not count; runs on
 * every thread.
 *
 * The bytes of small arrays add up until they fill one piece, which is tied to the array that filled it. So many small arrays press on the
 * collector as hard as a large array, without an allocation for each. The piece of an array that was freed by hand is used
 * again for the next array of its size, so a program that calls `free` has fewer collections.
 */

/** Smallest piece of ballast (bytes). Smaller pieces would cost more calls than they are worth. */
const PIECE_BYTES = 1 << 20;

/** Largest piece (bytes). More presses no harder, and may exceed the limit of an `ArrayBuffer`. */
const MAX_PIECE_BYTES = 2 ** 30;

const ballastOf = new WeakMap<object, ArrayBuffer>();
let owedBytes = 0;
let spare: ArrayBuffer | undefined;

/**
 * A buffer whose pages nobody touches. Engines map a resizable buffer. An ordinary one comes from the C library, which maps
 * what exceeds a threshold that it raises to 32 MiB by itself; below that it clears memory that was in use before, which
 * took a worker 1 to 4 ms a piece. An engine without resizable buffers ignores the option.
 */
const newPiece = (bytes: number): ArrayBuffer =>
  new (ArrayBuffer as new (bytes: number, options: { maxByteLength: number }) => ArrayBuffer)(bytes, {
    maxByteLength: bytes,
  });

/** Makes the collector feel that `owner` holds `bytes`. */
export function addBallast(owner: object, bytes: number): void {
  owedBytes += bytes;
  if (owedBytes < PIECE_BYTES) return;
  const piece = Math.min(owedBytes, MAX_PIECE_BYTES);
  owedBytes = 0;
  try {
    const fits = spare !== undefined && spare.byteLength === piece;
    ballastOf.set(owner, fits ? (spare as ArrayBuffer) : newPiece(piece));
    if (fits) spare = undefined;
  } catch {
    // No address space for it (a `ulimit -v`): the array is then collected later, or freed by hand.
  }
}

/** Removes the ballast of an owner whose memory was freed. */
export function dropBallast(owner: object): void {
  const piece = ballastOf.get(owner);
  if (piece === undefined) return;
  ballastOf.delete(owner);
  spare = piece;
}
