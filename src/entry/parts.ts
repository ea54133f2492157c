/**
 * Where the parts of the library are. The build writes this module (scripts/parts.ts): for Node the parts are files beside the
 * entry, for bundlers modules that it imports.
 */
import type { PartSource } from '../core/library/parts.js';

export type Source = () => PartSource;

export type Sources = Readonly<Record<string, Source>>;

export declare const core: Source;
export declare const nodeHost: Source;
