/**
 * Finds the code of a number in this realm; runs on every thread.
 *
 * A thief asks before it takes a task, so `tryResolve` imports nothing and never throws; loader.ts imports missing modules. A source is
 * compiled at its first use. A class or function resolves to its registry entry, which has the latest `value`.
 */
import { TaskRegistrationError } from '../errors.js';
import { compileSource } from './compile.js';
import { placeOf } from './module-url.js';
import {
  type CodeRegistry,
  isBuiltin,
  originOfBuiltin,
  type Registered,
  type RegisteredKind,
  registry,
} from './registry.js';
import { supplier } from './supplier.js';
import { type CodeEntry, type CodeTable, codeTable } from './table.js';

/** This realm does not have the code yet: import its module, or do not take the task. */
export const MISSING: unique symbol = Symbol('furcate.missing');

/** Variables that a kernel has captured (kernel.ts), as plain data. */
export interface Captured {
  /** The number of the kernel, in the process. */
  readonly id: number;
  readonly names: readonly string[];
  /** The values, as a shipped context (context.ts). */
  readonly context: { readonly data: unknown; readonly codes: readonly number[] };
}

/** A function as plain data: its id in the code table, and what it has captured, if it is a kernel. */
export interface ShippedFunction {
  readonly code: number;
  readonly captured?: Captured;
}

export interface ResolvedCode extends CodeEntry {
  /** The class or function. */
  readonly value: unknown;
  /** Index among the functions of this realm, for forkable functions. */
  readonly index: number;
  readonly failure: undefined;
}

/** Code that cannot be loaded: its tasks complete with a `TaskRegistrationError` of this text. */
export interface FailedCode extends CodeEntry {
  readonly failure: string;
  /** The invocations that have met a failed import: for any other, the import is tried again. Undefined where that would be of no use. */
  readonly metBy?: Set<number>;
}

/** Number of invocations for which a failure is remembered. */
const MAX_METS = 64;

export const isFailed = (code: ResolvedCode | FailedCode): code is FailedCode => code.failure !== undefined;

const resolved = (entry: CodeEntry, value: unknown): ResolvedCode => ({
  ...entry,
  value,
  index: -1,
  failure: undefined,
});

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

export class CodeResolver {
  readonly table: CodeTable;
  readonly registry: CodeRegistry;
  /** True if the name alone finds registered code, as in bundled workers, where URLs mean nothing. */
  readonly byName: boolean;
  /** Functions that were shipped, by the text that the engine shows, so that each text is checked once. */
  readonly shipped = new Map<string, ShippedFunction>();
  readonly #known: (ResolvedCode | FailedCode)[] = [];

  constructor(table: CodeTable, codes: CodeRegistry, { byName = false } = {}) {
    this.table = table;
    this.registry = codes;
    this.byName = byName;
  }

  /** The code, or the reason why there is none. Synchronous; never throws. */
  tryResolve(id: number): ResolvedCode | FailedCode | typeof MISSING {
    const known = this.#known[id];
    if (known !== undefined) return known;
    let entry: CodeEntry;
    try {
      entry = this.table.entry(id);
    } catch (error) {
      // A thief may read a record that is being written. The number may be an entry later, so the failure is not remembered.
      return { kind: 'shape', url: '', name: '', failure: messageOf(error) };
    }
    try {
      const found = this.#resolve(entry);
      if (found !== MISSING) this.#known[id] = found;
      return found;
    } catch (error) {
      return { ...entry, failure: messageOf(error) }; // not remembered: a stack or memory may have been used up
    }
  }

  /**
   * Returns true if this thread should import code for an invocation: where it is missing, or could not be imported for another
   * one.
   */
  lacks(id: number, invocation: number): boolean {
    const found = this.tryResolve(id);
    return found === MISSING || (isFailed(found) && found.metBy?.has(invocation) === false);
  }

  /**
   * The code behind an id.
   *
   * @throws TaskRegistrationError where it is missing or failed
   */
  resolve(id: number): ResolvedCode {
    const code = this.tryResolve(id);
    if (code === MISSING) {
      const { kind, url, name } = this.table.entry(id);
      throw new TaskRegistrationError(
        `furcate: the ${kind} '${name}' of ${placeOf(url)} is not loaded on this thread. Import that module here first.`,
      );
    }
    if (isFailed(code)) throw new TaskRegistrationError(code.failure);
    return code;
  }

  /** The class or function behind an id; see `resolve`. */
  valueOf(id: number): unknown {
    return this.resolve(id).value;
  }

  /** The id of a source that this thread has compiled. If an equal source has a function already, that function stays. */
  adoptSource(source: string, value: unknown): number {
    const id = this.table.idOf('source', source, '');
    this.#known[id] ??= resolved({ kind: 'source', url: source, name: '' }, value);
    return id;
  }

  /** Makes an id stand for this registered code in this thread, although their URLs differ. */
  adopt(id: number, code: Registered): void {
    this.#known[id] = code;
  }

  /** Records that this thread could not import code for an invocation. Other threads, and the next invocation, try it themselves. */
  fail(id: number, message: string, invocation: number): void {
    const known = this.#known[id];
    const metBy = (known !== undefined && isFailed(known) ? known.metBy : undefined) ?? new Set();
    if (metBy.size === MAX_METS) metBy.clear();
    this.#known[id] = { ...this.table.entry(id), failure: message, metBy: metBy.add(invocation) };
  }

  /** Checks whether the code is here now, after all: the registry may have it since it could not be imported. */
  recovers(id: number): boolean {
    const failed = this.#known[id];
    delete this.#known[id];
    const isHere = this.tryResolve(id) !== MISSING;
    if (!isHere && failed !== undefined) this.#known[id] = failed;
    return isHere;
  }

  #resolve(entry: CodeEntry): ResolvedCode | FailedCode | typeof MISSING {
    const { kind, url, name } = entry;
    if (kind === 'shape') return resolved(entry, name);
    if (kind === 'source') return resolved(entry, compileSource(url));
    const registered = kind as RegisteredKind;
    const found = this.registry.byKey(registered, url, name);
    if (found !== undefined) return found;
    if (!isBuiltin(url)) return (this.byName ? this.registry.byNameOnly(registered, name) : undefined) ?? MISSING;
    supplier.supply(originOfBuiltin(url)); // which registers it
    const failed = `furcate: this thread's copy of the library has no '${name}': is it another version?`;
    return this.registry.byKey(registered, url, name) ?? { ...entry, failure: failed };
  }
}

let current: CodeResolver | undefined;

/** This realm's resolver, over its table and registry. */
export function resolver(): CodeResolver {
  current ??= new CodeResolver(codeTable(), registry);
  return current;
}

/** Gives this realm another resolver: that of a bundled worker, or a test's. */
export function useResolver(next: CodeResolver | undefined): void {
  current = next;
}
