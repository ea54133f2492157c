/** Shared containers of numbers: what users import. */
export type { ArrayOfType, NumberType, SharedSizeOptions, WideNumberType } from './number-types.js';
export { type SharedBag, sharedBag } from './shared-bag.js';
export { type Combination, type SharedMap, type SharedMapOptions, sharedMap } from './shared-map.js';
export { type SharedSet, sharedSet } from './shared-set.js';
export { type SharedStruct, sharedStruct } from './shared-struct.js';
