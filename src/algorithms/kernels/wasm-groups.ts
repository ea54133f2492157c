/** The WebAssembly modules that the kernels are in: one for each kind of work, so that a program has what it uses; no code. */

/** The file wasm/<group>-kernels.ts is the module's source; a kernel's name says which group it is of. */
export const KERNEL_GROUPS = ['reduce', 'scan', 'filter', 'histogram', 'sort'] as const;
export type KernelGroup = (typeof KERNEL_GROUPS)[number];

/** How the names of a group begin; a longer beginning goes before a shorter one. */
const BEGINNINGS: readonly (readonly [RegExp, KernelGroup])[] = [
  [/^(?:sum|product|min|max|and|or|xor)/, 'reduce'],
  [/^scan/, 'scan'],
  [/^(?:copy|fill|find|count|collect)/, 'filter'],
  [/^(?:shiftH|exactH|h)istogram/, 'histogram'],
];

/** The group that has a kernel. */
export const groupOf = (kernel: string): KernelGroup =>
  BEGINNINGS.find(([beginning]) => beginning.test(kernel))?.[1] ?? 'sort';

/** The part of the library that holds the group's module. */
export const partOfGroup = (group: KernelGroup): string => `kernels${group.charAt(0).toUpperCase()}${group.slice(1)}`;
