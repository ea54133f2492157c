import { asyncForkable, forkable } from 'furcate';

export interface Module {
  readonly name: string;
  readonly imports: readonly string[];
}

export const parse = forkable(import.meta.url, 'parse', (name: string, text: string): Module => {
  const imports = [...text.matchAll(/^import '(.+)'$/gm)].flatMap(([, from]) => (from === undefined ? [] : [from]));
  return { name, imports };
});

export const compile = forkable(import.meta.url, 'compile', (module: Module, compiled: readonly string[]): string => {
  if (module.imports.includes('missing')) throw new RangeError(`${module.name}: 'missing' is not there`);
  return `${module.name}(${compiled.join(' ')})`;
});

export const link = asyncForkable(import.meta.url, 'link', async (scope, parts: readonly string[]): Promise<string> => {
  await scope.yield(); // stands for writing a file
  return parts.join('; ');
});
