/** Functions of a model have no contexts. */
export const offerContexts = <F>(fn: F): F => fn;
export const callOf = (fn: unknown, args: unknown[]): readonly [fn: unknown, args: unknown[]] => [fn, args];
