/** Models start no workers. */
export const libraryScripts = undefined;
