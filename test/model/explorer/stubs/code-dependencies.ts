/** Jobs of a model need no code beside their own. */
export const neededCodes = (): number[] => [];
export const unionOfNeeds = (a: number): number => a;
export const needsOf = (_codes: readonly number[], outer: number): number => outer;
