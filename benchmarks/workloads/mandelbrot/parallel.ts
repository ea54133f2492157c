/** Rows on all threads. */
import { forkable, parallelForRange } from 'furcate';
import type { Ways } from '../workload.js';
import type { Image } from './config.js';
import { drawRows } from './sequential.js';

const draw = forkable(import.meta.url, 'draw', drawRows);

export const ways: Ways<Image, void> = {
  '': (image, pool) => parallelForRange(image.side, draw, { pool, context: image }),
};
