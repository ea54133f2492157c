/** Tasks of a model have no contexts. */
const NO_CODES: readonly number[] = [];
export const bytesOfContext = (): undefined => undefined;
export const codesOfContexts = (): readonly number[] => NO_CODES;
export const contextAt = (): never => {
  throw new Error('the model has no contexts');
};
export const forgetContexts = (): void => {};
