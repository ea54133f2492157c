/** Tasks of a model carry numbers only, and errors do not cross: that they were thrown does. */
export class Copier {
  readonly codes = new Set<number>();
  readonly isMarked = false;
  readonly copy = (value: unknown): unknown => value;
  readonly thrown = (value: unknown): unknown => value;
}
export const openData = (value: unknown): unknown => value;
export const packError = (error: unknown): unknown => error;
