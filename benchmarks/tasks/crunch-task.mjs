// `crunch` as a task of its own.
import { forkable } from 'furcate';
import { crunch } from './crunch.mjs';

export const crunchTask = forkable(import.meta.url, 'crunchTask', crunch);
