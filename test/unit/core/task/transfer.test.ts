/** Which buffers are detached when their value is on its way. */
import { markAsUntransferable } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { moved } from '../../../../src/core/task/transfer.js';

const NAMES = { option: 'options.transfer', value: (k: number) => `value ${k}` };

const move = (buffers: readonly ArrayBufferLike[], ...values: unknown[]): void =>
  moved(() => buffers, values, NAMES).detach();

describe('transfer', () => {
  test('leaves the buffer that small Buffers of Node share', () => {
    const bystander = Buffer.from('innocent');
    const small = Buffer.from('hello');
    move([small.buffer], small);
    move([small.buffer], { deep: [{ small }] });
    expect([String(bystander), String(small), String(Buffer.from('abc'))]).toEqual(['innocent', 'hello', 'abc']);
  });

  test('leaves a buffer of which the value has a part, or nothing', () => {
    const all = new Uint8Array(100);
    for (const value of [
      all.subarray(1),
      all.subarray(0, 99),
      [all.subarray(0, 40), all.subarray(41)],
      new DataView(all.buffer, 8),
      all.length,
    ])
      move([all.buffer], value);
    expect(all.length).toBe(100);
  });

  test.each<[string, (buffer: ArrayBuffer) => unknown]>([
    ['one view', (buffer) => new Float64Array(buffer)],
    [
      'views that cover it together, in any order',
      (b) => ({ body: new Float64Array(b, 16), head: new DataView(b, 0, 24) }),
    ],
    ['the buffer itself', (buffer) => new Map([['all', buffer]])],
    ['the buffer and a part of it', (buffer) => [new Uint8Array(buffer, 8, 8), buffer]],
  ])('detaches a buffer that the value has whole: %s', (_, valueWith) => {
    const buffer = new ArrayBuffer(80);
    move([buffer], valueWith(buffer));
    expect(buffer.byteLength).toBe(0);
  });

  test('counts the parts of each value alone: another value may need the rest later', () => {
    const all = new Uint8Array(100);
    move([all.buffer], all.subarray(0, 50), all.subarray(50));
    expect(all.length).toBe(100);
    move([all.buffer], all.subarray(0, 50), all);
    expect(all.length).toBe(0);
  });

  test('leaves a buffer that the program has marked as not transferable', () => {
    const bytes = new Uint8Array(8);
    markAsUntransferable(bytes.buffer);
    move([bytes.buffer], bytes);
    expect(bytes.length).toBe(8);
  });

  test('leaves a buffer when a part of its value cannot be read any more', () => {
    const bytes = new Uint8Array(8);
    const value = {
      bytes,
      get broken(): never {
        throw new Error('broken');
      },
    };
    move([bytes.buffer], value);
    expect(bytes.length).toBe(8);
  });
});
