/** Makes thumbnails of images: one function, which waits and computes, and a list. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parallelMap } from 'furcate';
import { shrink } from './thumbnail-tasks.mjs';

export async function makeThumbnails(folder: string, signal?: AbortSignal): Promise<readonly string[]> {
  const images = (await readdir(folder)).filter((name) => name.endsWith('.raw')).sort();
  const paths = images.map((name) => join(folder, name));
  return parallelMap(paths, shrink, { concurrency: 16, signal });
}
