/**
 * `npm run bench:charts`: draws the pictures of docs/benchmarks.md from the files that `--json` wrote into benchmarks/results; runs on the main thread. What has no file
 * keeps its picture. `-- --from FOLDER --out FOLDER` reads and writes elsewhere.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { svgOf } from '../../examples/flights/svg.js';
import { CHARTS, THEMES } from './charts.js';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: 'benchmarks/results' },
    out: { type: 'string', default: 'docs/benchmarks' },
  },
});
mkdirSync(values.out, { recursive: true });
for (const { name, from, isIn, draw } of CHARTS) {
  const file = join(values.from, `${from}.json`);
  if (!existsSync(file)) {
    console.log(`${name}: there is no ${file}.`);
    continue;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  if (!isIn(report)) {
    console.log(`${name}: ${file} has none of it.`);
    continue;
  }
  for (const [theme, config] of Object.entries(THEMES)) {
    const svg = await svgOf({ ...draw(report), config });
    writeFileSync(join(values.out, `${name}-${theme}.svg`), `${svg}\n`);
  }
  console.log(`${name}: drawn from ${file}, of ${report.date}.`);
}
