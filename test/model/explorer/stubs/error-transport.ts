/** Errors do not cross in a model: that they were thrown does. */
export const packError = (error: unknown): unknown => error;
export const unpackError = (error: unknown): unknown => error;
