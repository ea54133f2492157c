import type { Forkable } from 'furcate';
import type { Crunchable } from './crunch.mjs';

export declare const crunchTask: Forkable<[value: Crunchable], { readonly id: number; readonly odd: boolean }>;
