/** The version of this copy of the library, which the build writes in. */
declare const __FURCATE_VERSION__: string | undefined;

export const version: string = typeof __FURCATE_VERSION__ === 'string' ? __FURCATE_VERSION__ : '0.0.0-source';
