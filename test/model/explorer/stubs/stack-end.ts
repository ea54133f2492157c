/** Stacks of a model do not end. */
export const requireStackRoom = (): void => {};
export const hasStackRoom = (): boolean => true;
export const asStackError = (thrown: unknown): unknown => thrown;
export const stackUsedUp = (cause: unknown): unknown => cause;
