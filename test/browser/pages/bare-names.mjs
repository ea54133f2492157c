import { forkable } from 'furcate';

export const one = forkable(import.meta.url, 'one', () => 1);
