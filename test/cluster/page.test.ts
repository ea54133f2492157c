/** Runs the code of docs/cluster.md, with a host as the page starts one. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runNodeIn } from '../helpers/child-process.js';
import { checkedText, examplesOf, plainFolder } from '../helpers/examples.js';
import { ROOT } from '../helpers/project-files.js';
import { Processes } from './processes.js';

const path = 'docs/cluster.md';
const processes = new Processes();

afterAll(() => processes.end());

test('the code of docs/cluster.md gives the results that it shows', async () => {
  await processes.startServer();
  const page = { path, text: readFileSync(join(ROOT, path), 'utf8') };
  const examples = examplesOf(page, 'cluster');
  const { folder, remove } = plainFolder(examples);
  try {
    copyFileSync(join(ROOT, 'test/fixtures/shown-results.cjs'), join(folder, 'shown-results.cjs'));
    const modules = examples.filter(({ file }) => !file.startsWith('line-')).map(({ file }) => file);
    await processes.startHost('A', ...modules.map((file) => join(folder, file)));
    const programs = examples.filter(({ file }) => !modules.includes(file));
    const printed: string[] = [];
    for (const program of programs) {
      const text = checkedText(program).replaceAll('nats://127.0.0.1:4222', processes.nats);
      writeFileSync(join(folder, program.file), text);
      const { stdout, ...ended } = await runNodeIn(folder, program.file);
      expect(ended).toEqual({ code: 0, stderr: '' });
      printed.push(stdout);
    }
    expect(printed[0]).toMatch(/^168\n/); // a first program shows what it does
  } finally {
    remove();
  }
});
