/** Values on their way to workers and back, in parcels; runs on every thread. */
import { bytesAt, cloneOfValue, Parcel, pack } from '../core/engine.js';
import { textOf } from './text.js';

/** Place of the packed values of a task: on the shared heap, and freed by the caller. */
export type ParcelPlace = readonly [at: number, length: number, isMarked: boolean];

export const valuesAt = ([at, length, isMarked]: ParcelPlace): unknown[] =>
  new Parcel(bytesAt(at, length).slice(), isMarked).open();

/** Head of a task's answer about its values; its last entry tells whether the task has failed after them. */
type AnswerHead = [...unknown[], hasFailed: boolean];

/**
 * A value as text before it is packed with others: a copy that keeps nothing of where its strings come from. A part of a string keeps the whole of it in memory,
 * so that the lines which a call has found in a file would keep the file.
 */
class AsText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A copy for `Cargo.add`, before its thread writes to a value again: text where that is exact, or else what `copy` gives. */
export function copyForCargo(value: unknown, copy: (value: unknown) => unknown): unknown {
  const text = textOf(value);
  return text === undefined ? copy(value) : new AsText(text);
}

/** Answer of a task. */
export interface TaskAnswer<H extends AnswerHead> {
  readonly head: H;
  readonly values: unknown[];
  /** Error with which the task failed after these values. */
  readonly failed: { readonly error: unknown } | undefined;
}

/** @throws TaskRegistrationError where the class of a value is not loaded on this thread */
export function answerIn<H extends AnswerHead>(parcel: Parcel): TaskAnswer<H> {
  const [head, texts, ...others] = parcel.open() as [H, string | undefined, ...unknown[]];
  const failed = head[head.length - 1] === true ? { error: others.pop() } : undefined;
  const values: unknown[] = texts === undefined ? [] : (JSON.parse(texts) as unknown[]);
  return { head, values: values.length === 0 ? others : values.concat(others), failed };
}

/**
 * Values with which a task answers: as they are when they are added, though their thread may write to them again.
 *
 * The first ones are texts, as long as they are objects that JSON expresses exactly (text.ts). A text is the copy, and what travels: on Node 20, an object of
 * five fields took 1.3 us from thread to thread, and 1.6 as a clone that was serialized. Of these, 0.4 less are on the calling thread.
 */
export class Cargo {
  readonly #nameOf: (k: number) => string;
  readonly #texts: string[] = [];
  readonly #others: unknown[] = [];

  /** @param nameOf names a value in errors */
  constructor(nameOf: (k: number) => string) {
    this.#nameOf = nameOf;
  }

  get size(): number {
    return this.#texts.length + this.#others.length;
  }

  /**
   * @param value or what `copyForCargo` gave
   * @param isOwn whether nobody else writes to it, because it is a copy or leaves at once
   * @throws NotShareableError that names a value which cannot be cloned
   */
  add(value: unknown, isOwn = false): void {
    if (value instanceof AsText) {
      if (this.#others.length === 0) this.#texts.push(value.text);
      else this.#others.push(JSON.parse(value.text));
      return;
    }
    const text = this.#others.length === 0 ? textOf(value) : undefined;
    if (text !== undefined) this.#texts.push(text);
    else this.#others.push(isOwn ? value : cloneOfValue(value, () => this.#nameOf(this.size)));
  }

  /**
   * Packs an answer.
   *
   * @throws NotShareableError that names the value which cannot be cloned
   */
  answer(head: readonly unknown[], failed?: { readonly error: unknown }): Parcel {
    const texts = this.#texts.length === 0 ? undefined : `[${this.#texts.join()}]`;
    const all = [[...head, failed !== undefined], texts, ...this.#others];
    if (failed !== undefined) all.push(failed.error);
    return pack(all, (k) => this.#nameOf(this.#texts.length + k - 2), undefined, failed && 'thrown');
  }
}
