/** Tasks of a model carry numbers only: no instance of a class is among them. */
export const packInstances = (value: unknown): unknown => value;
export const openInstances = (value: unknown): unknown => value;
export const refusalOf = (): undefined => undefined;
export const classCodeOf = (): number => 0;
