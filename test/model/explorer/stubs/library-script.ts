/** Models start no workers. */
export const libraryScript = { text: '', path: '' };
