/** The WebAssembly modules that the kernels are in: one for each kind of work, so that a program has what it uses; no code. */

/** The file wasm/<group>-kernels.ts is the module's source. */
export const KERNEL_GROUPS = ['reduce', 'scan', 'filter', 'histogram', 'sort'] as const;
export type KernelGroup = (typeof KERNEL_GROUPS)[number];

/** The part of the library that holds the group's module. */
export const partOfGroup = (group: KernelGroup): string => `kernels${group.charAt(0).toUpperCase()}${group.slice(1)}`;
