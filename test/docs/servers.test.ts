/** Tests what the server of docs/servers.md does beside answering: markdown.test.ts runs the code of the page as it stands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examplesOf, runExamples } from '../helpers/examples.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

const path = 'docs/servers.md';
const modules = examplesOf({ path, text: readFileSync(join(ROOT, path), 'utf8') }).filter(({ file }) =>
  ['primes.mjs', 'server.mjs'].includes(file),
);

/** Runs a program that imports the server of the page. Returns null, or its error. */
async function outcomeOf(text: string, server = modules): Promise<string | null | undefined> {
  expect(server).toHaveLength(2);
  return (await runExamples([...server, { place: 'program:1', file: 'program.mjs', text }])).at(-1);
}

test(
  'a request in flight at the shutdown is answered, and its connection closed, although the client would keep it open',
  async () => {
    const outcome = await outcomeOf(`
      import { subscribe } from 'node:diagnostics_channel';
      import { Agent, get } from 'node:http';
      import { start } from './server.mjs';

      const { port, shutDown } = await start({ port: 0 });
      const agent = new Agent({ keepAlive: true });
      const ask = (path) =>
        new Promise((resolve, reject) => {
          get({ port, path, agent }, async (response) => {
            const text = (await response.toArray()).join('');
            resolve({ connection: response.headers.connection, text });
          }).on('error', reject);
        });
      await ask('/?below=100'); // => { connection: 'keep-alive', text: '{"below":100,"count":25}' }

      let closed;
      // Called when the server has read the head of the request, and before it answers.
      subscribe('http.server.request.start', () => { closed = shutDown(); });
      await ask('/?below=10'); // => { connection: 'close', text: '{"below":10,"count":4}' }
      await closed;
    `);
    expect(outcome).toBeNull();
  },
  LONG_TEST_HANG_MS,
);

test(
  'the workers have imported the tasks before the server listens',
  async () => {
    const leavesTrace = `
      import { writeFileSync } from 'node:fs';
      import { isMainThread } from 'node:worker_threads';
      if (!isMainThread) writeFileSync(new URL('./trace', import.meta.url), '');
    `;
    const traced = modules.map((module) =>
      module.file === 'primes.mjs' ? { ...module, text: module.text + leavesTrace } : module,
    );
    const text = `
      import { existsSync } from 'node:fs';
      import { start } from './server.mjs';

      const { shutDown } = await start({ port: 0 });
      existsSync(new URL('./trace', import.meta.url)); // => true
      await shutDown();
    `;
    expect(await outcomeOf(text, traced)).toBeNull();
  },
  LONG_TEST_HANG_MS,
);
