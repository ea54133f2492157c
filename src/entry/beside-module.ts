/** Files beside this one, in an ES module. */
export const pathOf = (file: string): string =>
  process.getBuiltinModule('node:url').fileURLToPath(new URL(file, import.meta.url).href);
