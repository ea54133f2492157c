/** Every thread of a model has all code. */
import { entries } from './registry.js';

export const MISSING = Symbol('missing');
export const isFailed = (): boolean => false;
export const resolver = () => ({
  tryResolve: (id: number) => entries[id] ?? MISSING,
  resolve: (id: number) => entries[id],
  lacks: (id: number) => entries[id] === undefined,
});
