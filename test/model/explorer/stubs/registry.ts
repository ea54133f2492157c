/** Code of a model: registered by every virtual thread in the same order, so that its index is its id. */
export const BUILTIN_URL = 'furcate:';
export const FORKABLE = Symbol('forkable');
export const ASYNC_FORKABLE = Symbol('asyncForkable');
/** Nothing travels in a model. */
export const builtin = (): void => {};
export const isFunctionKind = (kind: string): boolean => kind === 'function' || kind === 'async function';
export const nameOfCall = ({ name }: Entry): string => name;
const REGISTERED = Symbol('registered');

interface Entry {
  readonly kind: string;
  readonly url: string;
  readonly name: string;
  readonly index: number;
  readonly id: number;
  readonly value: unknown;
  readonly failure: undefined;
}

export const entries: Entry[] = [];
export const registry = { functions: [] as unknown[], functionEntries: [] as Entry[] };

export function register(kind: string, url: string, name: string, value: object): Entry {
  const index = isFunctionKind(kind) ? registry.functions.length : 0;
  const entry = { kind, url, name, index, id: entries.length, value, failure: undefined };
  entries.push(entry);
  if (isFunctionKind(kind)) {
    registry.functions.push(value);
    registry.functionEntries.push(entry);
    Object.defineProperty(value, kind === 'function' ? FORKABLE : ASYNC_FORKABLE, { value: index, configurable: true });
  } else {
    Object.defineProperty((value as { prototype: object }).prototype, REGISTERED, { value: entry });
  }
  return entry;
}

export const registrationOf = (task: object): Entry =>
  (Object.getPrototypeOf(task) as { [REGISTERED]: Entry })[REGISTERED];
