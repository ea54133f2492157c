/** Models have no foreign buffers. */
export const setIntroducer = (): void => {};
export const foreignId = (): undefined => undefined;
export const acceptForeign = (): void => {};
export const liveForeign = (): [] => [];
export const foreignArrived = (): boolean => true;
export const foreignBuffer = (): never => {
  throw new Error('the model has no foreign buffers');
};
