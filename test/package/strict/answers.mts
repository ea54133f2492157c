/** Runs the programs on small data, one after the other on the common pool, and prints their answers as JSON. */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ForkJoinPool, sharedArray } from 'furcate';
import { distances, ranks } from './analytics.mjs';
import { build } from './build.mjs';
import { totals, totalsOfStream } from './csv.mjs';
import { solve } from './game.mjs';
import { price } from './monte-carlo.mjs';
import { grep } from './search.mjs';
import { serve } from './server.mjs';
import { makeThumbnails } from './thumbnails.mjs';

ForkJoinPool.configureCommonPool({ parallelism: 2 });
const folder = await mkdtemp(join(tmpdir(), 'furcate-strict-'));

async function thumbnails(): Promise<readonly string[]> {
  const [width, height] = [16, 8];
  for (const k of [1, 2, 3]) {
    const image = Buffer.alloc(8 + width * height, 16 * k);
    image.writeUInt32LE(width, 0);
    image.writeUInt32LE(height, 4);
    await writeFile(join(folder, `${String(k)}.raw`), image);
  }
  const made = await makeThumbnails(folder);
  return Promise.all(made.map(async (path) => (await readFile(path)).subarray(8).toString('hex')));
}

async function csv(): Promise<readonly Record<string, number>[]> {
  const path = join(folder, 'sales.csv');
  const rows = Array.from(
    { length: 30_000 },
    (_, i) => `${String(i)},${i % 3 === 0 ? 'Łódź' : 'Porto'},${String(i % 7)}`,
  );
  await writeFile(path, `id,city,amount\n${rows.join('\n')}\n`);
  return [Object.fromEntries(await totals(path)), Object.fromEntries(await totalsOfStream(createReadStream(path)))];
}

async function search(): Promise<readonly string[]> {
  await mkdir(join(folder, 'deep'));
  await writeFile(join(folder, 'a.txt'), 'to fork\nto wait\n');
  await writeFile(join(folder, 'deep/b.txt'), 'nothing\nand to join');
  const found = await grep(folder, /\bto (fork|join)\b/u);
  return found.map(({ path, line, text }) => `${path.slice(folder.length + 1)}:${String(line)}: ${text}`);
}

const sources = {
  base: { text: '', needs: [] },
  list: { text: "import 'base'\n", needs: ['base'] },
  main: { text: "import 'base'\nimport 'list'\n", needs: ['base', 'list'] },
};
const broken = { ...sources, list: { text: "import 'missing'\n", needs: ['base'] } };

async function server(): Promise<readonly string[]> {
  const pool = new ForkJoinPool({ parallelism: 1, name: 'requests' });
  const http = serve(pool);
  await new Promise<void>((resolve) => {
    http.listen(0, 'localhost', resolve);
  });
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const answers: string[] = [];
  for (const query of ['?limit=100', '?limit=many', '']) {
    const response = await fetch(`http://localhost:${String(port)}/${query}`, { headers: { connection: 'close' } });
    answers.push(`${String(response.status)} ${await response.text()}`);
  }
  http.close();
  await pool.close();
  return answers;
}

/** A circle of vertices, each linked to both of its neighbours. */
function circle(n: number): { offsets: Uint32Array; targets: Uint32Array } {
  const offsets = sharedArray(
    Uint32Array,
    Array.from({ length: n + 1 }, (_, v) => 2 * v),
  );
  const targets = sharedArray(
    Uint32Array,
    Array.from({ length: 2 * n }, (_, k) => ((k >> 1) + (k % 2 === 0 ? 1 : n - 1)) % n),
  );
  return { offsets, targets };
}

try {
  const answers = {
    thumbnails: await thumbnails(),
    csv: await csv(),
    search: await search(),
    built: await build(sources),
    broken: await build(broken),
    server: await server(),
    price: await price(100_000, 2026),
    game: await solve({ mine: 0, theirs: 0 }),
    distances: [...(await distances(circle(9), 4))],
    ranks: [...(await ranks(circle(4), 10))],
  };
  console.log(JSON.stringify(answers));
} finally {
  await rm(folder, { recursive: true });
}
