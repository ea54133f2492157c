/** Tests `sharedFile` with what only Node has: paths. That of a `Blob`, on every runtime, is in test/conformance/by-index.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeText, isShared, sharedFile } from 'furcate';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'furcate-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file of several pieces is read whole, by its path and by its URL, into shared memory', async () => {
  const path = join(folder, 'large.bin');
  const content = Uint8Array.from({ length: 700_001 }, (_, i) => (i * 31) >> 3);
  writeFileSync(path, content);
  for (const file of [path, pathToFileURL(path)]) {
    const bytes = await sharedFile(file);
    expect(isShared(bytes)).toBe(true);
    expect(Buffer.compare(bytes, content)).toBe(0);
  }
});

test('a file that does not tell its size is read to its end', async () => {
  const bytes = await sharedFile('/proc/self/status').catch(() => undefined); // where there is no such file, nothing is to be tested
  if (bytes !== undefined) expect(decodeText(bytes)).toMatch(/^Name:[\s\S]*\n$/);
});

test('more bytes than were announced are kept, and fewer are no zeros at the end', async () => {
  const announced = (size: number): Parameters<typeof sharedFile>[0] => ({
    size,
    stream: () => new Blob(['to fork', ' and to join']).stream() as never,
  });
  for (const size of [1, 5, 19, 1_000])
    expect(decodeText(await sharedFile(announced(size)))).toBe('to fork and to join');
});

test('what cannot be read is told as the platform tells it, and what is no file by its name', async () => {
  await expect(sharedFile(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(sharedFile(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(sharedFile(7 as never)).rejects.toThrow(
    'furcate: sharedFile: file must be a path, a file: URL, a File or a Blob',
  );
});
