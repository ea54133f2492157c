/** Reports without workers, which no model has. */
const none = (): never => {
  throw new Error('every thread of a model has a pool');
};

export const listenHere = none;
export const reportHere = none;
export const newName = none;
