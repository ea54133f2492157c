import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fileParts } from '../../../../src/algorithms/text/file-parts.js';
import { registerHost } from '../../../../src/core/platform/host.js';
import { detectNode } from '../../../../src/core/platform/node.js';
import { collectSomeTimes } from '../../../helpers/garbage.js';

registerHost(detectNode);

const folder = mkdtempSync(join(tmpdir(), 'furcate-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'text.txt');

test('parts have the lines that begin in them, and together each line once, however long lines are', async () => {
  const short = fc.array(fc.constantFrom(...'abä'), { maxLength: 12 }).map((letters) => letters.join(''));
  const long = fc.integer({ min: 0, max: 40_000 }).map((length) => 'x'.repeat(length));
  const line = fc.oneof({ weight: 19, arbitrary: short }, { weight: 1, arbitrary: long });
  const lists = fc.array(line, { maxLength: 20 });
  const ends = fc.constantFrom('\n', '\r\n');
  const property = fc.asyncProperty(
    lists,
    ends,
    fc.boolean(),
    fc.constantFrom(0.01, 0.1, 0.5),
    async (lines, end, isEnded, share) => {
      const text = lines.map((one) => one + end).join('');
      const bytes = new TextEncoder().encode(isEnded ? text : text.slice(0, -end.length));
      writeFileSync(path, bytes);
      const partBytes = Math.ceil(bytes.length * share) || 1;
      const begins = [0, ...[...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1)];
      const parts = await fileParts(path, { partBytes });
      const content = new TextDecoder().decode(bytes);
      expect(parts.map((part) => part.text()).join('')).toBe(content);
      expect(parts.flatMap((part) => [...part.lines()])).toEqual(
        content.split(/\r?\n/).slice(0, content.endsWith('\n') || content === '' ? -1 : undefined),
      );
      expect(Buffer.concat(parts.map((part) => part.bytes()))).toEqual(Buffer.from(bytes));
      for (const [k, { start, end, ...part }] of parts.entries()) {
        expect([start, end]).toEqual([k * partBytes, Math.min((k + 1) * partBytes, bytes.length)]);
        const own = begins.filter((at) => at >= start && at < end);
        expect([...(parts[k]?.lines() ?? [])].length).toBe(own.length);
        expect(part.path).toBe(path);
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

test('bytes belong to who has read them, and text to nobody: what is read next does not change them', async () => {
  writeFileSync(path, 'to fork\nto join\n');
  const [first, second] = await fileParts(path, { partBytes: 8 });
  const bytes = first?.bytes();
  expect([...(second?.lines() ?? [])]).toEqual(['to join']);
  expect(new TextDecoder().decode(bytes)).toBe('to fork\n');
  expect(bytes?.buffer.byteLength).toBe(8); // nothing else crosses with it
});

test('parts are read into the same memory, one after the other', async () => {
  writeFileSync(path, `${'x'.repeat(99)}\n`.repeat(200_000));
  const parts = await fileParts(path);
  const before = process.memoryUsage().arrayBuffers;
  let letters = 0;
  for (const part of parts) {
    letters += part.text().length;
    for (const line of part.lines()) letters += line.length;
  }
  expect(letters).toBe(39_800_000);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000);
});

test('lines that are added to the file later are in no part, and those that were taken away are missed', async () => {
  writeFileSync(path, 'a\nb\nc\n');
  const parts = await fileParts(path, { partBytes: 2 });
  appendFileSync(path, 'd\n');
  expect(parts.flatMap((part) => [...part.lines()])).toEqual(['a', 'b', 'c']);
  truncateSync(path, 3);
  expect(parts.map((part) => [...part.lines()])).toEqual([['a'], ['b'], []]);
});

test('a text has the encoding that is asked for', async () => {
  writeFileSync(path, Uint8Array.of(228, 10));
  const [part] = await fileParts(path);
  expect(part?.text('latin1')).toBe('ä\n');
  expect(part?.text()).toBe('\ufffd\n');
  expect(() => part?.text('morse')).toThrow(RangeError);
});

test('a file may be named by a path from here or a URL; each part knows its path from the root on', async () => {
  writeFileSync(path, 'a\n');
  for (const file of [relative(process.cwd(), path), pathToFileURL(path)])
    expect((await fileParts(file)).map((part) => part.path)).toEqual([path]);
});

test('lines at the beginning of each file are left out, as many as are asked for, and files may be parts', async () => {
  const other = join(folder, 'other.txt');
  const long = 'x'.repeat(30_000);
  for (const [skipLines, left] of [
    [0, ['a', long, 'b']],
    [1, [long, 'b']],
    [2, ['b']],
    [3, []],
    [9, []],
  ] as const)
    for (const partBytes of [3, 65_536, Number.POSITIVE_INFINITY]) {
      writeFileSync(path, `a\n${long}\nb`);
      writeFileSync(other, '1\n2\n3\n');
      const parts = await fileParts([path, other], {
        skipLines,
        partBytes: partBytes === 3 && left.length > 2 ? 9_999 : partBytes,
      });
      expect(parts.flatMap((part) => [...part.lines()])).toEqual([...left, ...['1', '2', '3'].slice(skipLines)]);
      if (partBytes === Number.POSITIVE_INFINITY) expect(parts.map((part) => part.path)).toEqual([path, other]);
    }
});

test('iterators of lines do not disturb each other, and a file that is one part has what was added to it', async () => {
  writeFileSync(path, 'a\nb\n');
  const [part] = await fileParts(path, { partBytes: Number.POSITIVE_INFINITY });
  appendFileSync(path, `${'c\n'.repeat(20_000)}d`);
  const [one, other] = [part?.lines(), part?.lines()];
  const pairs = Array.from({ length: 20_003 }, () => [one?.next().value, other?.next().value]);
  expect(pairs.slice(0, 3)).toEqual([
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ]);
  expect(pairs.slice(-1)).toEqual([['d', 'd']]);
  expect([one?.next(), one?.next()]).toEqual(Array(2).fill({ done: true, value: undefined }));
});

test('an iterator that is asked again after its end leaves the memory of others alone', async () => {
  const other = join(folder, 'other.txt');
  const texts = [path, other].map((file, k) => {
    const lines = Array.from({ length: 2_000 }, (_, i) => `${k}: ${i}`);
    writeFileSync(file, lines.join('\n'));
    return lines;
  });
  const [part, second] = await fileParts([path, other], { partBytes: Number.POSITIVE_INFINITY });
  const ended = part?.lines();
  expect([...(ended ?? [])]).toEqual(texts[0]);
  const one = part?.lines();
  expect(ended?.next().done).toBe(true);
  const two = second?.lines();
  const pairs = Array.from({ length: 2_000 }, () => [one?.next().value, two?.next().value]);
  expect(pairs).toEqual(texts[0]?.map((line, i) => [line, texts[1]?.[i]]));
});

test('a line that is kept holds a KiB of the text around it, and no more', async () => {
  const line = `${'x'.repeat(63)}\n`;
  writeFileSync(path, line.repeat(2 ** 17)); // 8 MiB
  const [part] = await fileParts(path, { partBytes: Number.POSITIVE_INFINITY });
  await collectSomeTimes();
  const before = process.memoryUsage().heapUsed;
  const kept: string[] = [];
  let number = 0;
  for (const text of part?.lines() ?? []) if (number++ % 64 === 0) kept.push(text); // one in 4 KiB
  await collectSomeTimes();
  const bytes = (process.memoryUsage().heapUsed - before) / kept.length;
  expect(kept.length).toBe(2_048);
  expect(bytes).toBeLessThan(2_048);
});

test('a file that has taken the place of another one is read, though a thread has not returned to its event loop', async () => {
  writeFileSync(path, 'a\n');
  const [part] = await fileParts(path);
  const before = part?.text();
  writeFileSync(join(folder, 'new.txt'), 'b\n');
  renameSync(join(folder, 'new.txt'), path);
  expect([before, part?.text()]).toEqual(['a\n', 'b\n']);
});

test('an empty file has no parts', async () => {
  writeFileSync(path, '');
  expect(await fileParts(path)).toEqual([]);
});

test('what cannot be read is told as the platform tells it, and what has no size by its name', async () => {
  await expect(fileParts(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(fileParts(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  const status = await fileParts('/proc/self/status').catch(String);
  if (!String(status).includes('ENOENT')) expect(status).toContain('file must be one that tells its size');
  writeFileSync(path, 'a\n');
  const [part] = await fileParts(path);
  rmSync(path);
  expect(() => part?.text()).toThrow('ENOENT');
});

test.each([
  [[7], 'furcate: fileParts: file must be a path, a file: URL or an array of such, but it is 7'],
  [[[7, 'a']], 'fileParts: file must be a path'],
  [[new Blob([])], 'file must be a path, a file: URL'],
  [[path, 65_536], 'options must be a plain object'],
  [[path, { partBytes: 0 }], 'options.partBytes must be an integer from 1 to 2^53 - 1, but it is 0. Infinity makes'],
  [[path, { skipLines: -1 }], 'options.skipLines must be an integer from 0'],
  [[path, { chunkBytes: 9 }], 'there is no option "chunkBytes". Its options are partBytes, skipLines'],
])('%# is refused by name', async (args, message) => {
  await expect(fileParts(...(args as [string]))).rejects.toThrow(message);
});
