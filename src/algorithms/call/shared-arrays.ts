/**
 * The arrays of a call that goes to a pool, in shared memory; made and freed on the calling thread. Arrays that are not shared
 * are copied, and copied back if the call succeeds.
 */
import {
  arenaOfThread,
  free,
  freeScratch,
  isDetached,
  isShared,
  nonOwning,
  observerHere,
  Pins,
  scratchArray,
  unfilledArray,
} from '../../core/engine.js';
import type { TypedArray } from '../../core/memory/element-types.js';
import { type ArrayType, type CallArrays, firstOf, type Output, plainView, typeOf } from './call-arrays.js';

/** A timeline shows it. */
function copyTo(to: TypedArray, from: TypedArray): void {
  const observer = observerHere();
  observer?.beside('copy', from.byteLength);
  (to as Float64Array).set(from as Float64Array);
  observer?.beside();
}

export class SharedArrays implements CallArrays {
  readonly inOrder = false;
  readonly #name: string;
  readonly #written: readonly TypedArray[];
  readonly #arena = arenaOfThread();
  #asked = 0;
  readonly #scratch: TypedArray[] = [];
  /** The user's arrays that are in use, so that they are not collected meanwhile. */
  readonly #lent: TypedArray[] = [];
  /** Longer than those of the invocation: a failed sort repairs the array after it. */
  readonly #pins = new Pins();
  readonly #copies: { readonly view: TypedArray; readonly original: TypedArray; readonly argument: string }[] = [];
  readonly #outputs = new Map<TypedArray, { readonly wanted: Output<TypedArray>; readonly made: TypedArray }>();

  /**
   * @param name of the algorithm, for errors
   * @param written the arrays that the caller has worked on so far
   */
  constructor(name: string, written: readonly TypedArray[] = []) {
    this.#name = name;
    this.#written = written;
  }

  input<T extends TypedArray>(xs: T): T {
    return isShared(xs) ? this.#nonOwning(xs) : this.#copyOf(xs);
  }

  /** An array that is changed in place; `argument` is its name in errors. Only of calls that a pool does from the beginning. */
  inout<T extends TypedArray>(xs: T, argument: string): T {
    if (isShared(xs)) return this.#nonOwning(xs);
    const view = this.#copyOf(xs);
    this.#copies.push({ view, original: xs, argument });
    return view;
  }

  output<T extends TypedArray>(wanted: Output<T>): T {
    const { into, type, shared, length, initially } = wanted;
    if (into !== undefined && isShared(into)) {
      this.#asked++;
      return this.#nonOwning(into);
    }
    const isResult = into === undefined && shared;
    const made = isResult ? unfilledArray(type, length) : this.#make(into === undefined ? type : typeOf(into), length);
    const view = isResult ? nonOwning(made) : made;
    this.#outputs.set(view, { wanted, made });
    if (into !== undefined) this.#copies.push({ view, original: into, argument: 'options.into' });
    return this.#goOn(view, initially);
  }

  scratch<T extends TypedArray>(type: ArrayType<T>, length: number, initially?: number): T {
    return this.#goOn(this.#make(type, length), initially);
  }

  /** Copies results back to the arrays that were copied. */
  writeBack(): void {
    for (const { view, original, argument } of this.#copies) {
      if (view.length !== 0 && isDetached(original)) {
        throw new TypeError(
          `furcate: ${this.#name}: ${argument} was transferred away while the call ran, so its result cannot be written back. Wait for the promise first, or use a shared array.`,
        );
      }
      copyTo(original, view);
    }
  }

  delivered<T extends TypedArray>(output: T, length = output.length): T {
    const known = this.#outputs.get(output);
    if (known === undefined) return firstOf(output, length);
    const { wanted, made } = known;
    if (wanted.into !== undefined) return wanted.into as T;
    if (wanted.shared) return firstOf(made as T, length);
    const own = new (wanted.type as ArrayType<T>)(length);
    copyTo(own, output.subarray(0, length));
    return own;
  }

  /** Frees results that nobody will get. */
  discard(): void {
    for (const { wanted, made } of this.#outputs.values()) if (wanted.into === undefined && wanted.shared) free(made);
  }

  /** Frees everything but the results, and lets go of the user's arrays. */
  release(): void {
    for (const xs of this.#scratch.splice(0)) freeScratch(xs, this.#arena);
    this.#lent.length = 0;
    this.#pins.release();
  }

  /** Fills an array, and copies into it what the caller has written, which may be its beginning only. */
  #goOn<T extends TypedArray>(xs: T, initially: number | undefined): T {
    if (initially !== undefined) (xs as Float64Array).fill(initially);
    const written = this.#written[this.#asked++] as Float64Array | undefined;
    if (written !== undefined) (xs as unknown as Float64Array).set(written);
    return xs;
  }

  #nonOwning<T extends TypedArray>(xs: T): T {
    const view = this.#pins.during(() => nonOwning(plainView(xs)));
    this.#lent.push(xs);
    return view;
  }

  #make<T extends TypedArray>(type: ArrayType<T>, length: number): T {
    const xs = scratchArray(type, length, this.#arena);
    this.#scratch.push(xs);
    return xs;
  }

  #copyOf<T extends TypedArray>(xs: T): T {
    const copy = this.#make(typeOf(xs), xs.length);
    copyTo(copy, plainView(xs));
    return copy;
  }
}
