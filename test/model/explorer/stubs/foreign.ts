/** Models have no foreign buffers. */
export const setIntroducer = (): void => {};
export const foreignId = (): undefined => undefined;
export const startForeign = (): void => {};
export const acceptForeign = (): void => {};
export const knownForeign = (): { last: number; live: [] } => ({ last: 0, live: [] });
export const lastForeign = (): number => 0;
export const foreignArrived = (): boolean => true;
export const foreignBuffer = (): never => {
  throw new Error('the model has no foreign buffers');
};
