/** Whether a thread's event loop waits for something. */
import { expect, test } from 'vitest';
import { hasPending } from '../../../../src/core/platform/node-pending.js';

const reporting = (versions: object, ...kinds: string[]) => ({ versions, getActiveResourcesInfo: () => kinds });

test('is what Node tells, apart from handles that close', () => {
  const node = { node: '24.0.0' };
  expect(hasPending(reporting(node))).toBe(false);
  expect(hasPending(reporting(node, 'CloseReq'))).toBe(false);
  expect(hasPending(reporting(node, 'CloseReq', 'Timeout'))).toBe(true);
  expect(hasPending({ versions: node })).toBe(false);
});

test.each(['bun', 'deno'])('may be at any time where the runtime does not tell all: %s', (runtime) => {
  expect(hasPending(reporting({ node: '26.3.0', [runtime]: '1.0.0' }))).toBe(true);
});
