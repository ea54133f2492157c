// What two bare workers import where the library's workers import next.mjs: a module of two files.
import { successor } from './successor.mjs';

export const next = (n) => successor(n);
