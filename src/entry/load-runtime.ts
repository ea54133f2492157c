/** Loads the library from beside this file, in CommonJS. */
import { loadLibrary } from './load-library.js';

declare const require: { resolve(path: string): string };

export const load = (): void => loadLibrary(require.resolve('./runtime.cjs'));
