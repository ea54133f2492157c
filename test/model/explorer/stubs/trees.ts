/** Values of a model are numbers: none is a tree that need not be copied with care. */
export const NO_TREE = Symbol('furcate.noTree');
export const isPrimitive = (): boolean => true;
export const treeCopy = (value: unknown): unknown => value;
export const isTree = (): boolean => true;
