/** The shared heap of a model: tasks carry numbers only, so nothing needs it. */
const none = (): never => {
  throw new Error('the model has no heap');
};

export const allocBytes = none;
export const allocateOwn = none;
export const bytesAt = none;
export const freeBytes = (): void => {}; // reports are made by a stub as well
export const freeOwn = none;
export const freeTagged = (): void => {};
export const isHeapFull = (): boolean => false;
export const currentHeap = () => ({
  thread: 0,
  lock: { breakLockOf() {} },
  handle: () => ({ thread: 0 }),
  repairAfter() {},
});
export const deferFrees = () => (): void => {};
export const keepArrays = () => (): void => {};
