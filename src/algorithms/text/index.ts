/** Text as bytes that threads share: what users import. */
export { type ByteStream, type LineChunksOptions, lineChunks } from './line-chunks.js';
export { type FileLike, sharedFile } from './shared-file.js';
