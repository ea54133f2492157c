/**
 * The text of the library's core, which its workers are started with; the build declares it around the core.
 *
 * Where Node loaded the core as a script, that script is the text; in a bundle it is what the function that holds the core says
 * of itself; where the library runs from its sources, there is none.
 */
export interface LibraryScript {
  /** An expression whose value is a function: `(library) => exports`. Latin-1. */
  readonly text: string;
  /** Where stack traces say that it is. */
  readonly path: string;
  /** The runtime's compiled form of it, for other threads of this process; undefined where there is none. */
  compiled?(): Uint8Array | undefined;
}

/** The parameter of the function that the build makes of the core. */
declare const library: LibraryScript | undefined;

export const libraryScript: LibraryScript = typeof library === 'undefined' ? { text: '', path: 'furcate.js' } : library;
