/** Form of an algorithm that the user has called, of its two, for checks and errors; nothing of this file runs. */

/** `parallelFor` returns a promise, `parallelForSync` the result itself. */
export type Form = 'promise' | 'sync';

/** The public function that a user has called. */
export interface Callee {
  readonly form: Form;
  /** Name for error messages. */
  readonly name: string;
  /** The names of both forms, for cures. */
  readonly names: Readonly<Record<Form, string>>;
}
