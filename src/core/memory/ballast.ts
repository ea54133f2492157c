/**
 * Weight for the garbage collector: ordinary memory, never touched, tied to objects that stand for shared memory, which
 * engines do not count; runs on every thread.
 *
 * Small arrays share: their bytes add up until there are enough for one piece of ballast, which the array that filled it
 * carries. So many small ones press as hard as a large one, and none pays for an allocation of its own. A piece whose
 * array was freed by hand serves the next array of its size: who frees is spared the collections.
 */

/** The least piece of ballast: smaller ones would cost more calls than they press. */
const PIECE_BYTES = 1 << 20;

/** More than this presses no harder, and may exceed what an `ArrayBuffer` can be. */
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

/** Takes the weight off an owner whose memory was freed. */
export function dropBallast(owner: object): void {
  const piece = ballastOf.get(owner);
  if (piece === undefined) return;
  ballastOf.delete(owner);
  spare = piece;
}
