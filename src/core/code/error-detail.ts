/** Detail of an error in a copy: all; no stacks; class, name and message alone. */
export const ALL = 0;
export const NO_STACKS = 1;
export const MESSAGE = 2;
export type Detail = typeof ALL | typeof NO_STACKS | typeof MESSAGE;
