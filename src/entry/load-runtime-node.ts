/** Loads the library of the build beside this file, in the ES module that Node takes; bundlers take another. */
declare const process: {
  getBuiltinModule(name: 'node:module'): { createRequire(url: string): (path: string) => unknown };
};

export const load = (): unknown =>
  process.getBuiltinModule('node:module').createRequire(import.meta.url)('./runtime.cjs');
