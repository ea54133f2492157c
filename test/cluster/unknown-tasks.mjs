/** What clients know and hosts do not. */
import { forkable } from 'furcate';
import { hostFunction } from 'furcate/cluster';

export const unknownFunction = forkable(import.meta.url, 'unknownFunction', (x) => x);
export const unknownHostFunction = hostFunction(import.meta.url, 'unknownHostFunction', (x) => x);
