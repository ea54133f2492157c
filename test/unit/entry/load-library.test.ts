/** How the library's script comes into a thread, and its compiled form into others. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LibraryScript } from '../../../src/core/platform/library-script.js';
import { loadLibrary } from '../../../src/entry/load-library.js';

interface Seen {
  readonly library: LibraryScript;
  readonly isWorker: boolean;
}

const SEEN = Symbol.for('furcate.seen');
const seen = (realm: object): Seen | undefined => (realm as Record<symbol, Seen | undefined>)[SEEN];

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furcate-'));
  path = join(folder, 'runtime.cjs');
  const inner = Array.from({ length: 500 }, (_, i) => `function f${i}(a) { return a + ${i}; } f${i}(1);`).join('\n');
  writeFileSync(
    path,
    `(function (library, isWorker) { ${inner}\n globalThis[Symbol.for('furcate.seen')] = { library, isWorker }; })`,
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('a script', () => {
  test('is called with its own text and place, and not as a worker', () => {
    loadLibrary(path);
    const { library, isWorker } = seen(globalThis) as Seen;
    expect(library).toMatchObject({ path, text: readFileSync(path, 'utf8') });
    expect(isWorker).toBe(false);
  });

  test('gives its compiled form, which another thread takes', async () => {
    loadLibrary(path);
    const { library } = seen(globalThis) as Seen;
    const source = `
      const { parentPort, workerData: { text, cachedData } } = require('node:worker_threads');
      parentPort.postMessage(new (require('node:vm').Script)(text, { cachedData }).cachedDataRejected);`;
    const rejected = (cachedData: Uint8Array | undefined): Promise<boolean> =>
      new Promise((resolve, reject) => {
        new Worker(source, { eval: true, workerData: { text: library.text, cachedData } })
          .once('message', resolve)
          .once('error', reject);
      });
    expect(await rejected(library.compiled?.())).toBe(false);
    expect(await rejected(new Uint8Array(64))).toBe(true);
  });

  test('that is not there is an error with the cure', () => {
    expect(() => loadLibrary(join(folder, 'gone.cjs'))).toThrow(/gone\.cjs.*bundler.*'module'/);
  });
});
