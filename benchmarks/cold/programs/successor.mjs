// The second file of next.mjs and of bare-next.mjs.
export const successor = (n) => n + 1;
