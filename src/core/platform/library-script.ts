/**
 * The library's own text, which its workers are started with.
 *
 * Where the library was loaded as a script, the build names that script here; where it is part of an ES module or of a
 * bundle, the text is a string in it; where it runs from its sources, there is none.
 */
export interface LibraryScript {
  /** An expression whose value is a function: `(library, isWorker) => void`. Latin-1. */
  readonly text: string;
  /** Where stack traces say that it is. */
  readonly path: string;
  /** The runtime's compiled form of it, for other threads of this process. */
  compiled?(): Uint8Array;
}

declare const __FURCATE_LIBRARY__: LibraryScript | string | undefined;

const library = typeof __FURCATE_LIBRARY__ === 'undefined' ? '' : __FURCATE_LIBRARY__;

export const libraryScript: LibraryScript =
  typeof library === 'string' ? { text: library, path: 'furcate-worker.js' } : library;
