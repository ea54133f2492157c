/** Nobody observes the threads of a model. Accounts are published with the outcomes of tasks, as results are. */
export const observerHere = (): undefined => undefined;
export const observerOf = observerHere;
export const takeAccount = observerHere;
export const putAccount = observerHere;
export const askToObserve = observerHere;
export const observedApart = <T>(body: () => T): T => body();
export const releasing = (release: () => void): (() => void) => release;
