/** Tasks of a model carry numbers only: nothing in them is refused. */
export const CURE = '';
export const notShareable = (what: string): Error => new Error(what);
