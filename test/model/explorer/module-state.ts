/**
 * The state of a copy of the library: what its modules hold in top-level variables, put back before every run.
 *
 * A new copy for every run would be simpler, and takes 150 us; this takes three. load-source.ts makes every module
 * announce its variables. What is forgotten here shows as a run that does not repeat itself, which is an error.
 */

type Restore = () => void;

function contents(value: object): Restore {
  if (Array.isArray(value)) {
    const items = value.slice();
    return () => {
      if (value.length !== items.length) value.length = items.length;
      for (let i = 0; i < items.length; i++) if (value[i] !== items[i]) value[i] = items[i];
    };
  }
  if (ArrayBuffer.isView(value)) {
    const items = (value as Int32Array).slice();
    return () => (value as Int32Array).set(items);
  }
  if (value instanceof Map) {
    const items = [...value];
    return () => {
      if (value.size === items.length) return; // caches and tables only ever grow
      value.clear();
      for (const [key, item] of items) value.set(key, item);
    };
  }
  if (value instanceof Set) {
    const items = [...value];
    return () => {
      if (value.size === items.length) return;
      value.clear();
      for (const item of items) value.add(item);
    };
  }
  return properties(value as Record<string, unknown>);
}

/** Generated code, because a loop over keys takes several times as long. */
function properties(value: Record<string, unknown>): Restore {
  const lines = Object.keys(value).map((name, i) => {
    const key = JSON.stringify(name);
    return `if (value[${key}] !== items[${i}]) value[${key}] = items[${i}];`;
  });
  const restore = new Function('value', 'items', lines.join('\n')) as (
    value: object,
    items: readonly unknown[],
  ) => void;
  const items = Object.values(value);
  const inner = items
    .filter((item) => Array.isArray(item) || ArrayBuffer.isView(item))
    .map((item) => contents(item as object));
  if (inner.length === 0) return () => restore(value, items);
  return () => {
    restore(value, items);
    for (const again of inner) again();
  };
}

export class ModuleState {
  readonly #announced: (() => Restore | undefined)[] = [];
  #restores: Restore[] = [];

  /** A top-level `const`. */
  constant(value: unknown): void {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
    this.#announced.push(() => contents(value));
  }

  /** All top-level `let`s of a module: `save` gives what puts back their present values. */
  variables(save: () => Restore): void {
    this.#announced.push(save);
  }

  /** Takes the present state for the one to go back to. */
  save(): void {
    this.#restores = this.#announced.map((save) => save()).filter((restore) => restore !== undefined);
  }

  restore(): void {
    for (const restore of this.#restores) restore();
  }
}
