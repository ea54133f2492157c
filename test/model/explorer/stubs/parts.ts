/** The parts of the library: in a model all is there from the start. */

export const partInEvaluation = (): string => '';
export const publishParts = (): void => {};
export const part = (): never => {
  throw new Error('the model has one part');
};
