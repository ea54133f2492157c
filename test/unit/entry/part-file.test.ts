/** How a part of the library comes into a thread from a file, and its compiled form into others. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedScript } from '../../../src/core/platform/node-script.js';
import { partFile, readPart } from '../../../src/entry/part-file.js';

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furcate-'));
  path = join(folder, 'part.js');
  const inner = Array.from({ length: 500 }, (_, i) => `function f${i}(a) { return a + ${i}; } f${i}(1);`).join('\n');
  writeFileSync(
    path,
    `export default function furcatePart(parts) { ${inner}\n return { parts, strict: (function () { return this === undefined; })(), place: () => new Error('here') }; }\n`,
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('a part in a file', () => {
  test('is what the module exports, as text and as a function in strict mode', () => {
    const part = readPart(path);
    const parts = {};
    expect(part.path).toBe(path);
    expect(readFileSync(path, 'utf8')).toBe(`export default ${part.text}\n`);
    expect(part.make(parts)).toMatchObject({ parts, strict: true });
  });

  test('has the lines and columns of the file in stacks', () => {
    const { place } = readPart(path).make({}) as { place(): Error };
    const lines = readFileSync(path, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes("new Error('here')"));
    const column = (lines[line] as string).indexOf('new Error') + 1;
    expect(place().stack).toContain(`${path}:${line + 1}:${column}`);
  });

  test('gives its compiled form, which another thread takes', async () => {
    const part = readPart(path);
    part.make({});
    const script = sharedScript(part);
    const source = `
      const { parentPort, workerData: { text, cachedData } } = require('node:worker_threads');
      const script = new (require('node:vm').Script)(Buffer.from(text.buffer).latin1Slice(), { cachedData });
      parentPort.postMessage(script.cachedDataRejected);`;
    const rejected = (cachedData: Uint8Array | undefined): Promise<boolean> =>
      new Promise((resolve, reject) => {
        new Worker(source, { eval: true, workerData: { text: script.text, cachedData } })
          .once('message', resolve)
          .once('error', reject);
      });
    expect(await rejected(script.compiled)).toBe(false);
    expect(await rejected(new Uint8Array(64))).toBe(true);
  });

  const places = { gone: () => join(folder, 'gone.js'), another: () => join(folder, 'another.js') };
  const make = function furcatePart(): Record<string, unknown> {
    return {};
  };

  test.each(['gone', 'another'] as const)('is the function in the bundle if the file is %s', (name) => {
    writeFileSync(places.another(), 'export default function part() {}');
    expect(partFile(name, places[name], () => ({ default: make }))().make).toBe(make);
  });

  test('that is nowhere is an error with the cure', () => {
    const missing = partFile('gone', places.gone, () => {
      throw new ReferenceError('require is not defined');
    });
    expect(missing).toThrow(/cannot read its own file gone\.js.*bundler.*'module'.*deploy\.md/);
  });

  test('says which versions of Node are supported where Node has no modules to give', () => {
    const { getBuiltinModule } = process;
    Object.assign(process, { getBuiltinModule: undefined });
    try {
      const part = partFile('gone', places.gone, () => {
        throw new ReferenceError('require is not defined');
      });
      expect(part).toThrow(/Node v\d.* is not supported: use Node 20\.19 .*22\.3 or later/);
    } finally {
      Object.assign(process, { getBuiltinModule });
    }
  });
});
