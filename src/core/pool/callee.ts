/** Whom the user has called: one of the two forms of an algorithm, for checks and errors; nothing of this file runs. */

/** `parallelFor` returns a promise, `parallelForSync` the result itself. */
export type Form = 'promise' | 'sync';

/** The public function that a user has called. */
export interface Callee {
  readonly form: Form;
  /** What errors call it. */
  readonly name: string;
  /** The names of both forms, for cures. */
  readonly names: Readonly<Record<Form, string>>;
}
