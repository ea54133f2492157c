/** Stacks of a model do not end. */
export const requireStackRoom = (): void => {};
export const hasStackRoom = (): boolean => true;
