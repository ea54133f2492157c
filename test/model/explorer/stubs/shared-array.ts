/** Models have no shared arrays. */
export const describe = (): undefined => undefined;
export const forgetViews = (): void => {};
export const viewAt = (): never => {
  throw new Error('the model has no shared arrays');
};
export const isBorrowed = (): boolean => false;
export const borrowedView = (): never => {
  throw new Error('the model has no shared arrays');
};
export const ALIVE = 0;
export const fateOf = (): number => ALIVE;
export const freedError = (what: string): TypeError => new TypeError(`${what} was freed`);
