/** Models have no shared arrays. */
export const describe = (): undefined => undefined;
export const viewAt = (): never => {
  throw new Error('the model has no shared arrays');
};
export const isNonOwning = (): boolean => false;
export const nonOwningView = (): never => {
  throw new Error('the model has no shared arrays');
};
export const ALIVE = 0;
export const fateOf = (): number => ALIVE;
export const freedError = (what: string): TypeError => new TypeError(`${what} was freed`);
export const isDetached = (): boolean => false;
