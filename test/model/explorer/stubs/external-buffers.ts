/** Models have no external buffers. */
export const setShareBuffer = (): void => {};
export const externalId = (): undefined => undefined;
export const startExternal = (): void => {};
export const acceptExternal = (): void => {};
export const knownExternal = (): { last: number; live: [] } => ({ last: 0, live: [] });
export const lastExternal = (): number => 0;
export const externalArrived = (): boolean => true;
export const externalBuffer = (): never => {
  throw new Error('the model has no external buffers');
};
export const mayShare = (): boolean => false;
export const markExternal = (): void => {};
