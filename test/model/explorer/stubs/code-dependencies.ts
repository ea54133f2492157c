/** Jobs of a model need no code beside their own. */
export const codesOfWord = (): number[] => [];
export const unionOfDependencies = (a: number): number => a;
export const dependenciesOf = (_codes: readonly number[], outer: number): number => outer;
