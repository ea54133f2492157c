/** Loads the library of the build beside this file, in the CommonJS build. */
declare function require(path: string): unknown;

export const load = (): unknown => require('./runtime.cjs');
