/** Rows of the image on all threads. */
import { forkable, parallelForRange } from 'furcate';
import type { Ways } from '../workload.js';
import type { Scene } from './config.js';
import { castRows } from './sequential.js';

const cast = forkable(import.meta.url, 'cast', castRows);

export const ways: Ways<Scene, void> = {
  '': (scene, pool) => parallelForRange(scene.side, cast, { pool, context: scene }),
};
