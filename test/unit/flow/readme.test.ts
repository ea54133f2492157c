import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../src/${path}`, import.meta.url), 'utf8');

test('the stage that the README of the flow shows is the code, in at most 40 lines', () => {
  const [, shown = ''] = /```ts excerpt\n(.*?)```/s.exec(read('flow/README.md')) ?? [];
  expect(read('flows/pipeline/slice.ts')).toContain(shown);
  expect(shown).toMatch(/^export class .*^}$/ms);
  expect(shown.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});
