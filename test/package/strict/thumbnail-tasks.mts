import { readFile, writeFile } from 'node:fs/promises';
import { asyncForkable } from 'furcate';

/** Bytes of the header: width and height, 32 bits each. One byte for each pixel follows. */
const HEADER_BYTES = 8;

/** Writes an image of a quarter of the size, each pixel the mean of sixteen; returns where. */
export const shrink = asyncForkable(import.meta.url, 'shrink', async (scope, path: string): Promise<string> => {
  const image = await readFile(path, { signal: scope.signal });
  const [width, height] = [image.readUInt32LE(0) >> 2, image.readUInt32LE(4) >> 2];
  const small = Buffer.alloc(HEADER_BYTES + width * height);
  small.writeUInt32LE(width, 0);
  small.writeUInt32LE(height, 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = 0; k < 16; k++)
        sum += image.readUInt8(HEADER_BYTES + (4 * y + (k >> 2)) * 4 * width + 4 * x + (k & 3));
      small.writeUInt8(sum >> 4, HEADER_BYTES + y * width + x);
    }
  }
  await writeFile(`${path}.small`, small);
  return `${path}.small`;
});
