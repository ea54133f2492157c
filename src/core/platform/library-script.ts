/** The texts of the library that a worker is started with. */

/**
 * A text of the library's own: an expression whose value is a function. In Node it is a script, in a bundle it is what the
 * function says of itself.
 */
export interface LibraryScript {
  /** Latin-1. */
  readonly text: string;
  /** Where stack traces say that it is. */
  readonly path: string;
  /** The runtime's compiled form of it, for other threads of this process; undefined where there is none. */
  compiled?(): Uint8Array | undefined;
}

export interface LibraryScripts {
  readonly core: LibraryScript;
  /** Node's host, which is read when it is first needed. The bundle of a browser has another in its place. */
  readonly nodeHost: () => LibraryScript & { make(parts: object): unknown };
}

/** The parameter of the function that the build makes of the core. */
declare const library: LibraryScripts | undefined;

/** Undefined where the library runs from its sources. */
export const libraryScripts = typeof library === 'undefined' ? undefined : library;
