/** Files beside this one, in CommonJS. */
declare const require: { resolve(path: string): string };

export const pathOf = (file: string): string => require.resolve(file);
