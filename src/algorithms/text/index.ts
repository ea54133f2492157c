/** Text as bytes that threads share, and in files: what users import. */
export type { FilePath } from './file-by-path.js';
export { type FilePart, type FilePartsOptions, fileParts } from './file-parts.js';
export { type ByteStream, type LineChunksOptions, lineChunks } from './line-chunks.js';
export { type FileLike, sharedFile } from './shared-file.js';
