/**
 * Where the parts of the library are. The build writes this module (scripts/parts.ts): for Node the parts are files beside the
 * entry, for bundlers modules that it imports.
 */
import type { PartSource } from '../core/code/parts.js';

export type Source = () => PartSource;

type Sources = Readonly<Record<string, Source>>;

/** A family of algorithms, and the parts that it needs: its kernels are among them. */
export interface FamilySource {
  readonly source: Source;
  readonly needs: Sources;
  /** Fetches the parts that only its calls with plain values need: a bundle may have them in a file of their own. */
  readonly forValues?: () => Sources | Promise<Sources>;
}

export declare const core: Source;
export declare const nodeHost: Source;
export declare const coroutines: Source;
export declare const reports: Source;
export declare const spares: Source;
export declare const elements: FamilySource;
export declare const fill: FamilySource;
export declare const filter: FamilySource;
export declare const group: FamilySource;
export declare const invoke: FamilySource;
export declare const loops: FamilySource;
export declare const minMax: FamilySource;
export declare const reduce: FamilySource;
export declare const scan: FamilySource;
export declare const search: FamilySource;
export declare const sort: FamilySource;
