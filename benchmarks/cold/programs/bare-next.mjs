// A module of two files, which bare workers import. The library's workers import next.mjs instead.
import { successor } from './successor.mjs';

export const next = (n) => successor(n);
