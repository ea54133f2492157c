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

/** Functions that make a value of one kind of two others; in the order of the table in docs/flows.md. */
export const ofTwoNumbers = addNodes;
export const ofTwoTexts = forkable(url, 'ofTwoTexts', (a, b) => (a.length < 32 ? `${a}${b[0]}` : b));
export const ofTwoObjects = forkable(url, 'ofTwoObjects', (a, b) => ({ x: (a.x + b.x) | 0, y: a.y }));
export const ofTwoLists = forkable(url, 'ofTwoLists', (a, b) => a.map((x, i) => (x + b[i]) | 0));
export const ofTwoArrays = forkable(url, 'ofTwoArrays', (a, b) => {
  const sums = new Float64Array(a.length);
  for (let i = 0; i < sums.length; i++) sums[i] = a[i] + b[i];
  return sums;
});
export const ofTwoShared = forkable(url, 'ofTwoShared', (a, b) => (a[0] < 0 ? b : a));
