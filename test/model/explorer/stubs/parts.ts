/** The parts of the library: in a model all is there from the start. */

const parts: Record<string, unknown> = {};

export const publishParts = (): void => {};
export const publishPart = (): void => {};
export const hasPart = (): boolean => true;
export const enterPart = (name: string, exports: unknown): void => {
  parts[name] = exports;
};
export const part = (name: string): unknown => parts[name];

// No model waits for parts.
export const isGettable = (): boolean => false;
export const withPart = (): Promise<void> => Promise.resolve();
