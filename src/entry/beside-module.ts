/** Files beside this one, in an ES module. */
declare const process: {
  getBuiltinModule(name: 'node:url'): { fileURLToPath(url: string): string };
};

export const pathOf = (file: string): string =>
  process.getBuiltinModule('node:url').fileURLToPath(new URL(file, import.meta.url).href);
