// Functions of nodes: numbers, and tiles of a wavefront.
import { forkable } from 'furcate';
import { busy } from './flat.mjs';

const url = import.meta.url;

export const addNodes = forkable(url, 'addNodes', (a, b) => (a + b) | 0);
export const nextNode = forkable(url, 'nextNode', (x) => (x + 1) | 0);

/** A tile: some work, and a sum of the tiles above and to the left. */
export function computeTile(words, row, column, columns, iterations) {
  busy(iterations, row);
  const above = row > 0 ? words[(row - 1) * columns + column] : 1;
  const left = column > 0 ? words[row * columns + column - 1] : 1;
  words[row * columns + column] = (above + left) | 0;
}
export const tile = forkable(url, 'tile', computeTile);
