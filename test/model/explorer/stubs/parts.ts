/** The parts of the library: in a model all is there from the start. */

export const partInEvaluation = (): string => '';
export const publishParts = (): void => {};
export const publishPart = (): void => {};
export const hasPart = (): boolean => true;
export const part = (): never => {
  throw new Error('the model has one part');
};
