/**
 * Suppliers of the parts of the library. The build writes this module (scripts/parts.ts): for Node the parts are files beside
 * the entry, for bundlers modules that it imports.
 */
import type { PartSupplier } from '../core/library/parts.js';

export type { PartSupplier };

export type PartSuppliers = Readonly<Record<string, PartSupplier>>;

export declare const core: PartSupplier;
/** All parts above the core, with those that each may read later; in the entry that has all. */
export declare const all: readonly (readonly [name: string, source: PartSupplier, later: readonly string[]])[];
/** For hosts without a serializer. */
export declare const codec: PartSupplier;
/** In the order in which they are asked whether this thread runs on them. */
export declare const hosts: readonly PartSupplier[];
