/** Loads the library from beside this file, in the ES module that Node takes; bundlers take another. */
import { loadLibrary } from './load-library.js';

declare const process: {
  getBuiltinModule(name: 'node:url'): { fileURLToPath(url: string): string };
};

export const load = (): void =>
  loadLibrary(process.getBuiltinModule('node:url').fileURLToPath(new URL('./runtime.cjs', import.meta.url).href));
