/** Handle that stands for a node while a graph is built; runs on the thread that builds. */
import { isRevoked } from '../../core/errors.js';
import type { Draft } from './draft.js';

export class Handle {
  readonly draft: Draft;
  readonly code: number;

  constructor(draft: Draft, code: number) {
    this.draft = draft;
    this.code = code;
  }
}

export const isHandle = (value: unknown): value is Handle => !isRevoked(value) && value instanceof Handle;

/** Path to a node in a value, at any depth, as `.a[1]`; undefined if there is none. Getters are not called. */
export function pathOfNode(value: unknown): string | undefined {
  const seen = new Set<unknown>();
  const left: [value: unknown, path: () => string][] = [[value, () => '']];
  const add = (part: unknown, path: () => string): void => {
    if (typeof part === 'object' && part !== null) left.push([part, path]);
  };
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [whole, path] = next;
    if (isHandle(whole)) return path();
    if (isRevoked(whole)) continue; // who copies it says where it is
    if (typeof whole !== 'object' || whole === null || ArrayBuffer.isView(whole) || seen.has(whole)) continue;
    seen.add(whole);
    if (Array.isArray(whole)) for (const [k, part] of whole.entries()) add(part, () => `${path()}[${k}]`);
    else if (whole instanceof Map || whole instanceof Set)
      for (const entry of whole.entries()) for (const part of entry) add(part, () => `an entry of ${path() || 'it'}`);
    else
      for (const key of Object.keys(whole))
        add(Object.getOwnPropertyDescriptor(whole, key)?.value, () => `${path()}.${key}`);
  }
  return undefined;
}
